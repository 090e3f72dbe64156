import { readFile } from 'node:fs/promises';
import { describeSettings } from '../settings.ts';
import type { SecretPlaces } from './secret-reference.ts';

/** Files, and all variables but the bridge's own settings, because a source must not send those to its platform. */
export function secretPlaces(environment: NodeJS.ProcessEnv = process.env): SecretPlaces {
  return {
    // A getter, because sources are opened often and few refer to the environment.
    get env() {
      const own = new Set(describeSettings().map((setting) => setting.name));
      return Object.fromEntries(Object.entries(environment).filter(([name]) => !own.has(name)));
    },
    readFile: (path) => readFile(path, 'utf8'),
  };
}
