import { isMapping, parsePath } from '../core/source/path.ts';
import { parseReference } from '../core/source/reference.ts';
import { secretPaths } from '../core/source/secrets.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import { isSealed } from '../access/sealed-config.ts';

/** Stands in a shown configuration in the place of a secret. */
export const HIDDEN = '(secret)';

/**
 * A stored configuration without its secrets: a sealed value is `(secret)`, and so is every value that the present
 * schemas call a secret. References (`${env:X}`) hold no secret and are shown.
 */
export async function shownConfig(stored: unknown, registry: Pick<Registry, 'kinds' | 'platforms'>): Promise<unknown> {
  const shown = withoutSealed(stored);
  if (!isMapping(shown)) return shown;
  const kind = Object.entries(registry.kinds).find(([name]) => name === shown['kind'])?.[1];
  const [platform] = await loadedOf(registry.platforms, [String(shown['platform'])]);
  for (const path of secretPaths(kind, platform, shown)) hide(shown, parsePath(path) ?? []);
  return inWrittenOrder(shown);
}

/** The fields of a source in the order in which operators write them. */
export const inWrittenOrder = (config: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).toSorted(([one], [other]) => placeOf(one) - placeOf(other)));

/** The order in which operators write a source; JSON in the database keeps no order. */
const ORDER = [
  'name',
  'organisation',
  'project',
  'kind',
  'platform',
  'adapter',
  'connection',
  'tls',
  'options',
  'schedule',
  'pace',
  'sensors',
  'mapping',
];

const placeOf = (key: string): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);

function withoutSealed(value: unknown): unknown {
  if (isSealed(value)) return HIDDEN;
  if (Array.isArray(value)) return value.map(withoutSealed);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSealed(item)]));
}

function hide(holder: unknown, [key, ...rest]: readonly (string | number)[]): void {
  if (key === undefined || typeof holder !== 'object' || holder === null) return;
  const fields = holder as Record<string | number, unknown>;
  const value = fields[key];
  if (rest.length > 0) hide(value, rest);
  else if (typeof value !== 'string' || parseReference(value) === undefined) fields[key] = HIDDEN;
}
