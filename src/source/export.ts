import { setImmediate } from 'node:timers/promises';
import { sealedPaths } from '../access/sealed-config.ts';
import { isMapping, parsePath, valueAt } from '../core/source/path.ts';
import { parseReference } from '../core/source/reference.ts';
import { secretPaths } from '../core/source/secrets.ts';
import { DEFAULT_ORGANISATION } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import { writtenConfig } from './document-apart.ts';
import type { FoundSource } from './find-source.ts';
import { HIDDEN } from './shown-config.ts';

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
  const row = await database.row<{ config: string }>('select config::text as config from source where id = $1', [id]);
  const text = row?.config ?? '{}';
  const config: unknown = JSON.parse(text);
  // What comes next takes as long again for a configuration of megabytes, and is not to hold the event loop together with it.
  await setImmediate();
  const isDefault = organisation === DEFAULT_ORGANISATION;
  const comments: [path: string, text: string][] = [];
  const variables: string[] = [];
  const replaced: [path: readonly (string | number)[], value: string][] = [];
  const sealed = new Set(sealedPaths(config));
  for (const path of await hiddenPaths(config, sealed, registry)) {
    const parts = parsePath(path) ?? [];
    const value = valueAt(config, parts);
    // Schemas may call a field inside of a sealed value a secret.
    if (replaced.some(([whole]) => whole.every((key, place) => key === parts[place]))) continue;
    if (value === undefined || (typeof value === 'string' && parseReference(value) !== undefined)) continue;
    if (secrets === 'hidden' && sealed.has(path)) {
      replaced.push([parts, HIDDEN]);
      continue;
    }
    const given = [...(isDefault ? [] : [organisation]), name, ...parts.slice(1)];
    const variable = given
      .join('_')
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase();
    variables.push(variable);
    replaced.push([parts, `\${env:${variable}}`]);
    comments.push([parts.join('.'), 'The bridge holds this secret sealed; it is not written here.']);
  }
  const adapter = isMapping(config) ? config['adapter'] : undefined;
  if (typeof adapter === 'string') {
    // A reference is stored with its version; a file names the adapter alone.
    replaced.push([['adapter'], adapter.replace(/#.*$/, '')]);
    comments.push(['adapter', 'A path counts from the directory of the adapters; write it relative to this file.']);
  }
  return {
    name,
    organisation,
    file: `${isDefault ? '' : `${organisation.replaceAll(/[^\w-]/g, '_')}.`}${name}.yaml`,
    yaml: await writtenConfig({ text, replaced, comments }),
    variables,
  };
}

/** Paths of values that are sealed, and of those that the present schemas call a secret. */
async function hiddenPaths(
  config: unknown,
  sealed: ReadonlySet<string>,
  registry: Registry,
): Promise<readonly string[]> {
  if (!isMapping(config)) return [...sealed];
  const kind = Object.entries(registry.kinds).find(([name]) => name === config['kind'])?.[1];
  const [platform] = await loadedOf(registry.platforms, [String(config['platform'])]);
  return [...new Set([...sealed, ...secretPaths(kind, platform, config)])];
}
