import { readFile } from 'node:fs/promises';
import { describeSettings } from '../settings.ts';
import type { SecretPlaces } from './secret-reference.ts';

/** What references may lead to: everything but the bridge's own settings, which would otherwise travel to others. */
export function secretPlaces(environment: NodeJS.ProcessEnv = process.env): SecretPlaces {
  const own = new Set(describeSettings().map((setting) => setting.name));
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !own.has(name)));
  return { env, readFile: (path) => readFile(path, 'utf8') };
}
