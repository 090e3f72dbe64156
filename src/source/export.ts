import { sealedPaths } from '../access/sealed-config.ts';
import { isMapping, parsePath, valueAt } from '../core/source/path.ts';
import { parseReference } from '../core/source/reference.ts';
import { secretPaths } from '../core/source/secrets.ts';
import { DEFAULT_ORGANISATION } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import { draftText } from './draft.ts';
import type { FoundSource } from './find-source.ts';
import { HIDDEN, inWrittenOrder } from './shown-config.ts';

/** A registered source as a file that can be applied. */
export interface ExportedSource extends SourceName {
  /** Unique among the sources of a bridge. */
  readonly file: string;
  readonly yaml: string;
  /** Environment variables whose references stand in the places of secrets. */
  readonly variables: readonly string[];
}

/**
 * The source as its operator wrote it, without its secrets: a reference to an environment variable stands in the place of each. With
 * `hidden`, `(secret)` stands for each sealed one, which stays as it is stored when the file is applied to this bridge again.
 */
export async function exportSource(
  database: Database,
  registry: Registry,
  { id, name, organisation }: FoundSource,
  secrets: 'variables' | 'hidden' = 'variables',
): Promise<ExportedSource> {
  const row = await database.row<{ config: unknown }>('select config from source where id = $1', [id]);
  const config = structuredClone(row?.config ?? {});
  const isDefault = organisation === DEFAULT_ORGANISATION;
  const comments = new Map<string, string>();
  const variables: string[] = [];
  const kept = new Set(secrets === 'hidden' ? sealedPaths(config) : []);
  for (const path of await hiddenPaths(config, registry)) {
    const parts = parsePath(path) ?? [];
    const value = valueAt(config, parts);
    if (value === undefined || (typeof value === 'string' && parseReference(value) !== undefined)) continue;
    if (kept.has(path)) {
      replace(config, parts, HIDDEN);
      continue;
    }
    const given = [...(isDefault ? [] : [organisation]), name, ...parts.slice(1)];
    const variable = given
      .join('_')
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase();
    variables.push(variable);
    replace(config, parts, `\${env:${variable}}`);
    comments.set(parts.join('.'), 'The bridge holds this secret sealed; it is not written here.');
  }
  const whole = isMapping(config) ? inWrittenOrder(config) : {};
  if (typeof whole['adapter'] === 'string') {
    // A reference is stored with its version; a file names the adapter alone.
    whole['adapter'] = whole['adapter'].replace(/#.*$/, '');
    comments.set('adapter', 'A path counts from the directory of the adapters; write it relative to this file.');
  }
  return {
    name,
    organisation,
    file: `${isDefault ? '' : `${organisation.replaceAll(/[^\w-]/g, '_')}.`}${name}.yaml`,
    yaml: draftText(whole, [], comments),
    variables,
  };
}

/** Paths of values that are sealed, and of those that the present schemas call a secret. */
async function hiddenPaths(config: unknown, registry: Registry): Promise<readonly string[]> {
  const sealed = sealedPaths(config);
  if (!isMapping(config)) return sealed;
  const kind = Object.entries(registry.kinds).find(([name]) => name === config['kind'])?.[1];
  const [platform] = await loadedOf(registry.platforms, [String(config['platform'])]);
  return [...new Set([...sealed, ...secretPaths(kind, platform, config)])];
}

function replace(holder: unknown, [key, ...rest]: readonly (string | number)[], value: string): void {
  if (key === undefined || typeof holder !== 'object' || holder === null) return;
  const fields = holder as Record<string | number, unknown>;
  if (rest.length > 0) replace(fields[key], rest, value);
  else fields[key] = value;
}
