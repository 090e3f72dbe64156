import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, which is one directory further up from a compiled file. */
export const VERSION: string = readVersion();

function readVersion(): string {
  for (const place of ['../package.json', '../../package.json']) {
    const url = new URL(place, import.meta.url);
    if (existsSync(url)) return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version;
  }
  return 'unknown';
}
