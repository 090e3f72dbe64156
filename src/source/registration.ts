import { audit } from '../access/audit.ts';
import { seal } from '../access/sealed-config.ts';
import type { Sealing } from '../access/sealing.ts';
import { configInvalid } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { phaseOf } from '../core/schedule.ts';
import type { Difference } from '../core/source/difference.ts';
import { startOf } from '../core/source/source.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { compareWithStored } from './comparison.ts';
import { setGate } from './gate.ts';
import type { Comparison } from './comparison.ts';

/** The effect of applying a source; in a dry run, the effect it would have. */
export interface Applied extends Omit<Comparison, 'stored'> {
  readonly name: string;
}

/**
 * Creates or changes a source; the same configuration twice changes nothing. After a change the sensors are looked up
 * again and a stopped source is active again, because an operator acted. With `dryRun` nothing is written.
 *
 * Throws `config-invalid` for a project that does not exist.
 */
export async function applySource(
  database: Database,
  sealing: Sealing,
  source: SourceConfig,
  given: { readonly now: Instant; readonly actor: string; readonly dryRun: boolean },
): Promise<Applied> {
  const projectId = await projectOf(database, source);
  const { stored, action, differences } = await compareWithStored(database, sealing, source);
  const applied = { name: source.name, action, differences };
  if (given.dryRun || action === 'unchanged') return applied;

  const config = JSON.stringify(await seal(source.raw, source.secrets, sealing));
  const start = storedStart(source, { ...given, stored, differences });
  await database.transaction(async (client) => {
    const [row] = await rowsOf<{ id: number }>(
      client,
      `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, next_due_at, created_at)
       values ($1, $2, $3, $4, $5, at_instant($6), $7, $8, $9, now(), at_instant($10))
       on conflict (name) do update set project_id = $2, kind = $3, platform = $4, config = $5, start_at = at_instant($6),
         every_us = $7, phase_us = $8, settle_us = $9, next_due_at = now(), revision = source.revision + 1, discovered_at = null,
         state = case when source.state = 'stopped' then 'active' else source.state end,
         failures = 0, held_until = null, last_fault = null, updated_at = now()
       returning id`,
      [
        source.name,
        projectId,
        source.kind,
        source.platform,
        config,
        start,
        source.schedule.every,
        phaseOf(source.name, source.schedule.every),
        source.schedule.settle,
        given.now,
      ],
    );
    // Coverage begins anew, because another project has none of these readings and another platform other streams.
    if (stored !== undefined && (stored.project_id !== projectId || stored.platform !== source.platform)) {
      await client.query(
        `update stream set retired_at = now(), key = key || '~' || id where source_id = $1 and retired_at is null`,
        [row?.id],
      );
    }
    if (differences.some(renamesSeries)) await client.query('delete from series_name where source_id = $1', [row?.id]);
    await client.query(
      'update stream set source_revision = source.revision, retry_at = null, history_due_at = least(history_due_at, now()), failures = 0, history_failures = 0, last_fault = null, learned = null, caught_up_to = null from source where source.id = source_id and source_id = $1',
      [row?.id],
    );
    // The row stays, because a version that began again at 1 would let another process take its old token for the new one.
    await client.query(
      'update token set version = version + 1, sealed = null, replacing_until = null where source_id = $1',
      [row?.id],
    );
    if (row) await setGate(client, row.id, { liftHold: true });
    await audit(client, given.actor, `source.${action}`, source.name, { differences });
  });
  return applied;
}

/** A start that the operator did not change only moves back, because polls and catch-up never ask before the start. */
function storedStart(
  { schedule: { start, align } }: SourceConfig,
  { now, stored, differences }: Omit<Comparison, 'action'> & { readonly now: Instant },
): Instant {
  const kept = stored !== undefined && !differences.some(({ path }) => path === 'schedule.start');
  const begin = kept ? stored.start_at : startOf(start, stored?.created_at ?? now);
  return Math.floor(begin / align) * align;
}

/** Whether names are given to variables anew. After a new password or schedule every variable keeps its name. */
const renamesSeries = ({ path }: Difference): boolean =>
  /^(?:organisation|project|platform|connection\.url|options|sensors)\b/.test(path);

async function projectOf(database: Database, source: SourceConfig): Promise<number> {
  const row = await database.row<{ id: number }>('select id from ml_project where organisation_id = $1 and code = $2', [
    source.organisation,
    source.project,
  ]);
  if (row) return row.id;
  const organisation = source.organisation === 'default' ? '' : ` --organisation ${source.organisation}`;
  throw configInvalid(
    `there is no project ${source.project} in organisation ${source.organisation}`,
    `databridge project create ${source.project}${organisation}`,
    'project',
  );
}
