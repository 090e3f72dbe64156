import { BridgeError } from '../core/errors.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { eachWithin } from '../pull/each-within.ts';
import type { ConfigFile } from './configs.ts';
import { applySource, togetherOf } from './registration.ts';
import type { Applied, ApplyPlace, ApplyWish, Together } from './registration.ts';
import { refuseRenames } from './renames.ts';

/** The effect of applying one file; with a `fault` the file was not applied. */
export interface FileEffect {
  readonly file: string;
  readonly applied: readonly Applied[];
  readonly fault?: BridgeError;
}

/** Where the sources of files are applied; a source may name an adapter, and so have platforms of its own. */
export type FilesPlace = Omit<ApplyPlace, 'registry'> & {
  readonly registryOf: (source: SourceConfig) => ApplyPlace['registry'];
  /** Aborted where the operator interrupts; the work ends between two sources then. */
  readonly signal: AbortSignal;
  /** Called after each source that was applied, not in a dry run. */
  readonly onApplied: () => void;
};

/**
 * Applies files, each as a whole: all sources of a file are tried first, so that an error that can be foreseen leaves the file
 * out. An error of one file (`config-invalid`, such as a project that does not exist) is its `fault` and stops no other file.
 * With `dryRun` nothing is written.
 */
export async function applyFiles(
  place: FilesPlace,
  files: readonly Pick<ConfigFile, 'file' | 'sources'>[],
  given: ApplyWish,
): Promise<readonly FileEffect[]> {
  const together = togetherOf(place);
  const longest = Math.max(1, ...files.map(({ sources }) => sources.length));
  return await mapAtATime(files, Math.max(1, Math.floor(AT_A_TIME / longest)), async ({ file, sources }) => {
    try {
      return { file, applied: await applyFile({ ...place, together }, sources, given) };
    } catch (error) {
      if (!(error instanceof BridgeError) || error.code !== 'config-invalid') throw error;
      return { file, applied: [], fault: error };
    }
  });
}

async function applyFile(
  { database, sealing, registryOf, signal, onApplied, together }: FilesPlace & { readonly together: Together },
  sources: readonly SourceConfig[],
  given: ApplyWish,
): Promise<readonly Applied[]> {
  const apply = (one: SourceConfig, dryRun: boolean): Promise<Applied> => {
    signal.throwIfAborted();
    return applySource({ database, sealing, registry: registryOf(one), together }, one, { ...given, dryRun });
  };
  // A source that is alone in its file is tried where it is applied.
  if (given.dryRun || sources.length > 1) {
    const planned = await mapAtATime(sources, AT_A_TIME, (one) => apply(one, true));
    if (given.dryRun) return planned;
    for (const one of planned) refuseRenames(one, given.rename ?? false);
  }
  return await mapAtATime(sources, AT_A_TIME, async (one) => {
    const applied = await apply(one, false);
    onApplied();
    return applied;
  });
}

/** Sources that are worked on at a time, because they share statements. */
const AT_A_TIME = 100;

/** Maps in the order of the items. An error ends the work after those under way. */
async function mapAtATime<T, R>(items: readonly T[], count: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  await eachWithin(
    Math.min(count, items.length),
    () => left.next().value,
    async ([index, item]) => {
      results[index] = await work(item);
      return true;
    },
  );
  return results;
}

/** A source of the bridge that no file of a directory has. */
export interface Leftover extends SourceName {
  readonly project: string;
}

/**
 * The sources of the bridge that the files of a directory lack. The directory stands for the projects that its files name, so
 * sources of other projects are none of them. The caller asks only where every file could be read, because a source whose file is
 * broken would count as left over.
 */
export async function leftoversOf(database: Database, sources: readonly SourceConfig[]): Promise<readonly Leftover[]> {
  return await database.rows<Leftover & Record<string, unknown>>(
    `select source.name, source.organisation_id as organisation, ml_project.code as project
     from source join ml_project on ml_project.id = project_id
     where exists (select from unnest($1::text[], $2::text[]) as named (organisation, project)
         where named.organisation = source.organisation_id and named.project = ml_project.code)
       and not exists (select from unnest($1::text[], $3::text[]) as kept (organisation, name)
         where kept.organisation = source.organisation_id and kept.name = source.name)
     order by 2, 1`,
    [
      sources.map(({ organisation }) => organisation),
      sources.map(({ project }) => project),
      sources.map(({ name }) => name),
    ],
  );
}
