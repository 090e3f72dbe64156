import { audit } from '../access/audit.ts';
import { seal } from '../access/sealed-config.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Sealing } from '../access/sealing.ts';
import { configInvalid } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { phaseOf } from '../core/schedule.ts';
import type { Difference } from '../core/source/difference.ts';
import { DEFAULT_ORGANISATION, titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import { startOf } from '../core/source/source.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { followChoice } from '../pull/sensors/change-streams.ts';
import { RETRY_UNREADABLE } from '../pull/unreadable-rows.ts';
import { IS_AGAIN, IS_OPEN } from '../pull/history/wishes.ts';
import { HISTORIES_NOW, LOOKS_NOW, POLLS_NOW } from '../pull/work.ts';
import { compareWithStored, findingOf } from './comparison.ts';
import type { Comparison, Find, KnownPlatform, SourceSchemas } from './comparison.ts';
import { creationOf } from './creation.ts';
import type { Create } from './creation.ts';
import { keepFormer } from './former.ts';
import { setGate } from './gate.ts';
import { moveOf, retireStreams } from './move.ts';
import type { Move } from './move.ts';
import {
  NOTHING_COMPARED,
  forgetNames,
  gaveOthers,
  looksFromNow,
  matters,
  namesToCome,
  refuseRenames,
  renamesOf,
  titlesLost,
} from './renames.ts';
import type { Compared, Rename } from './renames.ts';
import { repairOf } from './repair.ts';
import type { Repair } from './repair.ts';
import { assertRevision, changedMeanwhile } from './revision.ts';
import type { ExpectedRevision } from './revision.ts';
import { ownersAmong } from './take-over.ts';
import type { OwnedElsewhere } from './take-over.ts';

/** The effect of applying a source; in a dry run, the effect it would have. */
export interface Applied extends Pick<Comparison, 'action' | 'differences'>, SourceName {
  /** Other organisations with a source of the name of a created one. Those sources stay as they are. */
  readonly namesakes: readonly string[];
  readonly move: Move;
  /** Names that the change takes away from variables, also where the data of another place is read anew. */
  readonly renames: readonly Rename[];
  /** Owners of series that the source names and that are not its own; its points for them are refused. */
  readonly seriesOfOthers: readonly OwnedElsewhere[];
  /** Refused points that the change may turn into readings, and the backfill that asks for them again; null without any. */
  readonly repair: Repair | null;
}

/** Where sources are registered, and the platforms that they may name. */
export interface ApplyPlace {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly registry: SourceSchemas;
  /** The statements that sources which are applied at a time share; default: the source shares none. */
  readonly together?: Together;
}

/** Statements of many sources at a time. */
export interface Together {
  readonly find: Find;
  readonly create: Create;
}

export const togetherOf = (place: Pick<ApplyPlace, 'database' | 'sealing'>): Together => ({
  find: findingOf(place.database),
  create: creationOf(place),
});

/** How a source is applied, and by which actor. */
export interface ApplyWish {
  readonly now: Instant;
  readonly actor: string;
  readonly dryRun: boolean;
  /** A changed place holds the same data as before, so the coverage is kept. */
  readonly sameData?: boolean;
  /** Series that have readings may get other names. */
  readonly rename?: boolean;
  /** The state of the source that the operator had read; undefined: any. */
  readonly expected?: ExpectedRevision | undefined;
}

/**
 * Creates or changes a source; the same configuration twice changes nothing. After a change the sensors are looked up
 * again and a stopped source is active again, because an operator acted. With `dryRun` nothing is written.
 *
 * Throws `config-invalid` for a project that does not exist, and for renamed series with readings without `rename`;
 * `ChangedMeanwhile` where the source is not in the expected state.
 */
export async function applySource(place: ApplyPlace, source: SourceConfig, given: ApplyWish): Promise<Applied> {
  const { database, sealing, registry, together = togetherOf(place) } = place;
  const { find, create } = together;
  const { projectId, stored: found, namesakes } = await find(source);
  if (projectId === undefined) throw noProject(source);
  if (given.expected !== undefined)
    await database.transaction((client) => assertRevision(client, source, given.expected));
  const comparison = await compareWithStored(found, sealing, source, registry);
  const { stored, action, differences } = comparison;
  const [platform] = (await loadedOf(registry.platforms, [source.platform])) as [KnownPlatform];
  const about = { ...comparison, platform, projectId, sameData: given.sameData ?? false };
  const { move, renames, names } = await effectsOf(database, source, about);
  const applied = {
    name: source.name,
    organisation: source.organisation,
    action,
    differences,
    namesakes: action === 'created' ? namesakes : [],
    move,
    renames,
    seriesOfOthers: await ownersAmong(database, { projectId, name: source.name }, namesToCome(source, renames)),
    // Where the coverage begins anew, all time is asked again without a backfill.
    repair:
      stored === undefined || action === 'unchanged' || move.coverage === 'begins-anew'
        ? null
        : ((await repairOf(database, source, { sourceId: stored.id, differences })) ?? null),
  };
  if (given.dryRun || action === 'unchanged') return applied;
  refuseRenames(applied, given.rename ?? false);

  const { now, actor, expected } = given;
  const start = storedStart(source, { now, stored, differences });
  const done =
    stored === undefined
      ? await create({ source, projectId, start, createdAt: now, actor })
      : await change(
          { database, sealing },
          { ...applied, ...comparison, names, source, projectId, start, actor, expected },
        );
  if (done) return applied;
  // Another process registered or removed the source, or gave it a name, since it was compared.
  if (expected === null) throw changedMeanwhile(`source ${titleOf(source)} was registered meanwhile`);
  return await applySource(place, source, given);
}

/** An effect that is to be written. */
interface Change
  extends
    Pick<Applied, 'move' | 'renames'>,
    Pick<Compared, 'names'>,
    Pick<Comparison, 'before' | 'differences'>,
    Pick<ApplyWish, 'actor' | 'expected'> {
  readonly source: SourceConfig;
  readonly projectId: number;
  readonly start: Instant;
}

/** @returns whether the source was still as it was compared; else nothing is changed */
async function change(
  { database, sealing }: Pick<ApplyPlace, 'database' | 'sealing'>,
  { source, projectId, start, actor, expected, before, move, renames, names, differences }: Change,
): Promise<boolean> {
  return await database.transaction(async (client) => {
    await assertRevision(client, source, expected);
    const [standing] = await rowsOf<{ id: number }>(
      client,
      'select id from source where organisation_id = $1 and name = $2 for no key update',
      [source.organisation, source.name],
    );
    if (standing === undefined || (await gaveOthers(client, standing.id, names))) return false;
    const { id } = standing;
    const config = JSON.stringify(await seal(source.raw, source.secrets, { sealing, client }));
    await keepFormer(client, source, { actor, ending: 'changed' });
    await client.query(
      `update source set project_id = $2, kind = $3, platform = $4, config = $5,
         start_at = greatest(at_instant($6), (select kept_from from ml_project where ml_project.id = $2)),
         every_us = $7, phase_us = $8, settle_us = $9, revision = revision + 1, look_fault = null,
         awaits_look = $10 and (awaits_look or $11), discovered_at = case when $10 then discovered_at end,
         state = case when state = 'stopped' then 'active' else state end,
         failures = 0, held_until = null, last_fault = null, clock_ahead_us = null, updated_at = now()
       where id = $1`,
      [
        id,
        projectId,
        source.kind,
        source.platform,
        config,
        start,
        source.schedule.every,
        phaseOf(titleOf(source), source.schedule.every),
        source.schedule.settle,
        // Streams that are kept may mean other sensors now, or none.
        move.coverage === 'kept',
        differences.some(givesNames),
      ],
    );
    if (move.coverage === 'begins-anew') await retireStreams(client, id);
    else await followChoice(client, id, { before: before?.sensors, chosen: source.sensors });
    if (move.coverage === 'kept') await looksFromNow(client, id, titlesLost(renames));
    if (move.coverage === 'begins-anew' || differences.some(givesNames)) await forgetNames(client, id, renames);
    await client.query(
      'update stream set source_revision = source.revision, retry_at = null, failures = 0, last_fault = null, learned = null from source where source.id = source_id and source_id = $1',
      [id],
    );
    await client.query(RETRY_UNREADABLE, [[id]]);
    for (const ask of [POLLS_NOW, LOOKS_NOW, HISTORIES_NOW, 'update work set failures = 0 where source_id = any($1)']) {
      await client.query(ask, [[id]]);
    }
    if (changesReadings(differences)) await client.query(ASK_ALL_AGAIN, [id]);
    // The row stays, because a version that began again at 1 would let another process take its old token for the new one.
    await client.query(
      'update token set version = version + 1, sealed = null, replacing_until = null where source_id = $1',
      [id],
    );
    await setGate(client, [id], { liftHold: true });
    await audit(client, actor, 'source.changed', source.name, {
      organisation: source.organisation,
      // A table of sensors may change in thousands of rows.
      differences: differences.slice(0, MOST_AUDITED),
      ...(differences.length > MOST_AUDITED && { differencesInAll: differences.length }),
      coverage: move.coverage,
      renames: renames.filter(matters).length,
    });
    return true;
  });
}

const MOST_AUDITED = 1000;

/** The effects of a change on coverage and names. */
async function effectsOf(
  database: Database,
  source: SourceConfig,
  about: Parameters<typeof moveOf>[1] & Pick<Comparison, 'action' | 'differences'>,
): Promise<Pick<Applied, 'move' | 'renames'> & Pick<Compared, 'names'>> {
  if (about.action === 'unchanged')
    return {
      move: { coverage: 'kept', fields: [], byText: [], streams: about.stored?.streams ?? 0 },
      ...NOTHING_COMPARED,
    };
  const move = moveOf(source, about);
  const { renames, identifiers, names } = await renamesOf(database, source, about);
  if (move.coverage === 'begins-anew' || identifiers === 'same') return { move, renames, names };
  // Streams that list sensors by their old identifiers would go on under the old names, beside new streams.
  const options = about.differences.flatMap(({ path }) => (path.startsWith('options') ? [path] : []));
  return { move: { ...move, coverage: 'begins-anew', fields: [...move.fields, ...options] }, renames, names };
}

/** A start that the operator did not change only moves back, because polls and catch-up never ask before the start. */
function storedStart(
  { schedule: { start, align } }: SourceConfig,
  { now, stored, differences }: Pick<Comparison, 'stored' | 'differences'> & { readonly now: Instant },
): Instant {
  const kept = stored !== undefined && !differences.some(({ path }) => path === 'schedule.start');
  const begin = kept ? stored.start_at : startOf(start, stored?.created_at ?? now);
  return Math.floor(begin / align) * align;
}

/** Whether names are given to variables anew. After a new password or schedule every variable keeps its name. */
const givesNames = ({ path }: Difference): boolean => /^(?:connection\.url|options|sensors)\b/.test(path);

/** Whether points become other readings. A sensor that is listed or left out changes nothing for the others. */
function changesReadings(differences: readonly Difference[]): boolean {
  const listed = differences.flatMap(({ path }) =>
    /^sensors\[.*\]\.id$/.test(path) ? [path.slice(0, -'id'.length)] : [],
  );
  return differences.some(
    ({ path }) =>
      /^(?:options|mapping)\b|^sensors\[.*\]\./.test(path) && !listed.some((sensor) => path.startsWith(sensor)),
  );
}

/** A backfill that asks for covered time again begins anew, so that all of its readings follow the same configuration. */
const ASK_ALL_AGAIN = `update backfill_stream set done = '{}' from backfill
  where backfill.id = backfill_id and source_id = $1 and ${IS_AGAIN} and ${IS_OPEN}`;

function noProject(source: SourceConfig): Error {
  const organisation = source.organisation === DEFAULT_ORGANISATION ? '' : ` --organisation ${source.organisation}`;
  return configInvalid(
    `there is no project ${source.project} in organisation ${source.organisation}`,
    `databridge project create ${source.project}${organisation}`,
    'project',
  );
}
