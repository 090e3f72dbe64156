import { dirname } from 'node:path';
import { BridgeError } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { isMapping } from '../core/source/path.ts';
import type { TableProblem } from '../core/source/sensor-table.ts';
import type { SourceConfig, SourceProblem } from '../core/source/source.ts';
import { noAdapters, parseListed, platformsFor } from '../platform/platforms-for.ts';
import type { Registry } from '../platform/registry.ts';
import { readSources } from './file.ts';
import type { ReadSource } from './file.ts';
import { firstFew, withTable } from './sensor-table.ts';

/** One problem of one file, as every command that reads sources shows it; line and column count from 1. */
export interface FileProblem extends SourceProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The sources of one file, and its problems; a file with a problem is applied in no part. */
export interface ConfigFile {
  readonly file: string;
  readonly sources: readonly SourceConfig[];
  readonly problems: readonly FileProblem[];
}

/** Parses every source at a path (see `readSources`), with the tables they name, and collects every problem of every file. */
export async function readConfigFiles(path: string, registry: Registry, now: Instant): Promise<readonly ConfigFile[]> {
  const files = new Map<string, { file: string; sources: SourceConfig[]; problems: FileProblem[] }>();
  for (const read of await readSources(path)) {
    const { file } = read;
    const found = files.get(file) ?? { file, sources: [], problems: [] };
    files.set(file, found);
    if (!read.ok) {
      const { line, column, message, remedy } = read;
      found.problems.push({ file, line, column, path: '', message, remedy });
      continue;
    }
    const parsed = await configOf(read, registry, now);
    if ('source' in parsed) found.sources.push(parsed.source);
    else found.problems.push(...parsed.problems);
  }
  return [...files.values()];
}

/** The sources and problems of all files at a path. */
export async function readConfigs(
  path: string,
  registry: Registry,
  now: Instant,
): Promise<{ sources: SourceConfig[]; problems: FileProblem[] }> {
  const files = await readConfigFiles(path, registry, now);
  return {
    sources: files.flatMap(({ sources }) => sources),
    problems: files.flatMap(({ problems }) => problems),
  };
}

/** One source of a file, with its table and its adapter; or its problems. */
export async function configOf(
  read: Extract<ReadSource, { ok: true }>,
  registry: Registry,
  now: Instant,
): Promise<{ source: SourceConfig } | { problems: readonly FileProblem[] }> {
  const table = await withTable(read.file, read.input);
  const found = await withAdapter(registry, read.file, table.input);
  const parsed = found.ok ? await parseListed(found.input, found.platforms, { kinds: registry.kinds, now }) : found;
  if (parsed.ok && table.problems.length === 0) return { source: parsed.source };
  const ofSource: FileProblem[] = [];
  const ofTable: TableProblem[] = [];
  for (const problem of parsed.ok ? [] : parsed.problems) {
    const { path, message, remedy } = problem;
    const place = table.locate(path);
    if (place !== undefined) ofTable.push({ ...place, message, remedy });
    else if (table.file === undefined || !/^sensors\b/.test(path))
      ofSource.push({ file: read.file, ...read.locate(path), ...problem });
  }
  // The rows that the table itself refuses would be refused twice.
  const told = table.problems.length > 0 ? table.problems : firstFew(ofTable);
  const rows = told.map(({ line, column: path, message, remedy }) => ({
    file: table.file ?? read.file,
    line,
    column: 1,
    path,
    message,
    remedy,
  }));
  return { problems: [...ofSource, ...rows] };
}

/** A source as it is stored, whose adapter has its version, and the platforms among which it finds its own. */
async function withAdapter(
  registry: Registry,
  file: string,
  input: unknown,
): Promise<
  { ok: true; input: unknown; platforms: Registry['platforms'] } | { ok: false; problems: readonly SourceProblem[] }
> {
  const adapter = isMapping(input) ? input['adapter'] : undefined;
  if (!isMapping(input) || typeof adapter !== 'string') return { ok: true, input, platforms: registry.platforms };
  try {
    if (registry.adapters === undefined) throw noAdapters();
    const pinned = { ...input, adapter: await registry.adapters.pin(adapter, dirname(file)) };
    return { ok: true, input: pinned, platforms: await platformsFor(registry, pinned) };
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'config-invalid') throw error;
    return { ok: false, problems: [{ path: 'adapter', message: error.message, remedy: error.remedy ?? '' }] };
  }
}
