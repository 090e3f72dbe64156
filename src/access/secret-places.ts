import { readFile } from 'node:fs/promises';
import { describeSettings } from '../settings.ts';
import type { SecretPlaces } from './secret-reference.ts';

/** What references may lead to: everything but the bridge's own settings, which would otherwise travel to others. */
export function secretPlaces(environment: NodeJS.ProcessEnv = process.env): SecretPlaces {
  return {
    // Only where there is a reference to it: sources are opened often, and few refer to the environment.
    get env() {
      const own = new Set(describeSettings().map((setting) => setting.name));
      return Object.fromEntries(Object.entries(environment).filter(([name]) => !own.has(name)));
    },
    readFile: (path) => readFile(path, 'utf8'),
  };
}
