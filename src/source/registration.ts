import { audit } from '../access/audit.ts';
import { seal } from '../access/sealed-config.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Sealing } from '../access/sealing.ts';
import { configInvalid } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { IDLE } from '../core/pace.ts';
import { phaseOf } from '../core/schedule.ts';
import type { Difference } from '../core/source/difference.ts';
import { DEFAULT_ORGANISATION, titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import { startOf } from '../core/source/source.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { followChoice } from '../pull/change-streams.ts';
import { RETRY_UNREADABLE } from '../pull/unreadable-rows.ts';
import { HISTORIES_NOW, LOOK_NOW, POLL_NOW } from '../pull/work.ts';
import { compareWithStored } from './comparison.ts';
import type { Comparison, KnownPlatform, SourceSchemas } from './comparison.ts';
import { keepFormer } from './former.ts';
import { setGate } from './gate.ts';
import { moveOf, retireStreams } from './move.ts';
import type { Move } from './move.ts';
import { forgetNames, looksFromNow, matters, namesToCome, refuseRenames, renamesOf, titlesLost } from './renames.ts';
import type { Rename } from './renames.ts';
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
}

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
export async function applySource(
  { database, sealing, registry }: ApplyPlace,
  source: SourceConfig,
  given: ApplyWish,
): Promise<Applied> {
  const projectId = await projectOf(database, source);
  if (given.expected !== undefined)
    await database.transaction((client) => assertRevision(client, source, given.expected));
  const comparison = await compareWithStored(database, sealing, source, registry);
  const { stored, action, differences } = comparison;
  const [platform] = (await loadedOf(registry.platforms, [source.platform])) as [KnownPlatform];
  const about = { ...comparison, platform, projectId, sameData: given.sameData ?? false };
  const { move, renames } = await effectsOf(database, source, about);
  const namesakes = action === 'created' ? await namesakesOf(database, source) : [];
  const applied = {
    name: source.name,
    organisation: source.organisation,
    action,
    differences,
    namesakes,
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

  const start = storedStart(source, { ...given, stored, differences });
  await database.transaction(async (client) => {
    await assertRevision(client, source, given.expected);
    const config = JSON.stringify(await seal(source.raw, source.secrets, { sealing, client }));
    if (action === 'changed') await keepFormer(client, source, { actor: given.actor, ending: 'changed' });
    const [row] = await rowsOf<{ id: number; revision: number }>(
      client,
      `with stored as (
       insert into source (name, organisation_id, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, created_at)
       values ($1, $11, $2, $3, $4, $5, at_instant($6), $7, $8, $9, at_instant($10))
       on conflict (organisation_id, name) do update set project_id = $2, kind = $3, platform = $4, config = $5, start_at = at_instant($6),
         every_us = $7, phase_us = $8, settle_us = $9, revision = source.revision + 1, look_fault = null,
         awaits_look = $12 and (source.awaits_look or $13), discovered_at = case when $12 then source.discovered_at end,
         state = case when source.state = 'stopped' then 'active' else source.state end,
         failures = 0, held_until = null, last_fault = null, clock_ahead_us = null, updated_at = now()
       returning id, revision),
       paced as (insert into pace (source_id, state) select id, $14 from stored on conflict do nothing)
       select * from stored`,
      [
        source.name,
        projectId,
        source.kind,
        source.platform,
        config,
        start,
        source.schedule.every,
        phaseOf(titleOf(source), source.schedule.every),
        source.schedule.settle,
        given.now,
        source.organisation,
        // Streams that are kept may mean other sensors now, or none.
        move.coverage === 'kept',
        differences.some(givesNames),
        JSON.stringify(IDLE),
      ],
    );
    // No row could be locked, so another transaction may have registered it since.
    if (given.expected === null && row?.revision !== 1)
      throw changedMeanwhile(`source ${titleOf(source)} was registered meanwhile`);
    if (row && move.coverage === 'begins-anew') await retireStreams(client, row.id);
    else if (row) await followChoice(client, row.id, { before: comparison.before?.sensors, chosen: source.sensors });
    if (row && move.coverage === 'kept') await looksFromNow(client, row.id, titlesLost(renames));
    if (row && (move.coverage === 'begins-anew' || differences.some(givesNames))) {
      await forgetNames(client, row.id, renames);
    }
    await client.query(
      'update stream set source_revision = source.revision, retry_at = null, failures = 0, last_fault = null, learned = null, caught_up_to = null from source where source.id = source_id and source_id = $1',
      [row?.id],
    );
    await client.query(RETRY_UNREADABLE, [row?.id]);
    for (const ask of [POLL_NOW, LOOK_NOW, HISTORIES_NOW, 'update work set failures = 0 where source_id = $1']) {
      await client.query(ask, [row?.id]);
    }
    if (changesReadings(differences)) await client.query(ASK_ALL_AGAIN, [row?.id]);
    // The row stays, because a version that began again at 1 would let another process take its old token for the new one.
    await client.query(
      'update token set version = version + 1, sealed = null, replacing_until = null where source_id = $1',
      [row?.id],
    );
    if (row) await setGate(client, row.id, { liftHold: true });
    await audit(client, given.actor, `source.${action}`, source.name, {
      organisation: source.organisation,
      // A table of sensors may change in thousands of rows.
      differences: differences.slice(0, MOST_AUDITED),
      ...(differences.length > MOST_AUDITED && { differencesInAll: differences.length }),
      coverage: move.coverage,
      renames: renames.filter(matters).length,
    });
  });
  return applied;
}

const MOST_AUDITED = 1000;

/** The effects of a change on coverage and names. */
async function effectsOf(
  database: Database,
  source: SourceConfig,
  about: Parameters<typeof moveOf>[2] & Pick<Comparison, 'differences'>,
): Promise<Pick<Applied, 'move' | 'renames'>> {
  const move = await moveOf(database, source, about);
  const { renames, identifiers } = await renamesOf(database, source, about);
  if (move.coverage === 'begins-anew' || identifiers === 'same') return { move, renames };
  // Streams that list sensors by their old identifiers would go on under the old names, beside new streams.
  const options = about.differences.flatMap(({ path }) => (path.startsWith('options') ? [path] : []));
  return { move: { ...move, coverage: 'begins-anew', fields: [...move.fields, ...options] }, renames };
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
  where backfill.id = backfill_id and source_id = $1 and again and state = 'running'`;

async function namesakesOf(database: Database, { name, organisation }: SourceName): Promise<string[]> {
  const rows = await database.rows<{ organisation: string }>(
    'select organisation_id as organisation from source where name = $1 and organisation_id <> $2 order by 1',
    [name, organisation],
  );
  return rows.map((row) => row.organisation);
}

async function projectOf(database: Database, source: SourceConfig): Promise<number> {
  const row = await database.row<{ id: number }>('select id from ml_project where organisation_id = $1 and code = $2', [
    source.organisation,
    source.project,
  ]);
  if (row) return row.id;
  const organisation = source.organisation === DEFAULT_ORGANISATION ? '' : ` --organisation ${source.organisation}`;
  throw configInvalid(
    `there is no project ${source.project} in organisation ${source.organisation}`,
    `databridge project create ${source.project}${organisation}`,
    'project',
  );
}
