import type { Instant } from '../core/instant.ts';
import { BridgeError } from '../core/errors.ts';
import { phaseOf } from '../core/schedule.ts';
import { describeDifference } from '../core/source/difference.ts';
import type { Difference } from '../core/source/difference.ts';
import { startOf } from '../core/source/source.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { audit } from '../access/audit.ts';
import type { Sealing } from '../access/sealing.ts';
import { unknownSource } from './backfills.ts';
import { seal, sealedPaths, unseal } from '../access/sealed-config.ts';

/** What applying a source did, or would do. */
export interface Applied {
  readonly name: string;
  readonly action: 'created' | 'changed' | 'unchanged';
  readonly differences: readonly Difference[];
}

interface Registered {
  readonly id: number;
  readonly platform: string;
  readonly config: unknown;
  readonly project_id: number;
  readonly created_at: Instant;
  readonly start_at: Instant;
  readonly state: string;
}

/**
 * Creates or changes a source; the same configuration twice changes nothing. A change lets the sensors be looked up
 * again and wakes a stopped source: an operator acted. With `dryRun` nothing is written.
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
  const known = await database.row<Registered & Record<string, unknown>>(
    'select id, platform, config, project_id, instant_of(created_at) as created_at, instant_of(start_at) as start_at, state from source where name = $1',
    [source.name],
  );
  const before = known && (await written(known.config, sealing));
  const differences = before ? describeDifference(before, source) : [];
  const action = known === undefined ? 'created' : differences.length > 0 ? 'changed' : 'unchanged';
  if (given.dryRun || action === 'unchanged') return { name: source.name, action, differences };

  const { align } = source.schedule;
  // A start that nobody changed only ever moves back: time before it would be left to nobody.
  const kept = known !== undefined && !differences.some(({ path }) => path === 'schedule.start');
  const begin = kept ? known.start_at : startOf(source.schedule.start, known?.created_at ?? given.now);
  const start = Math.floor(begin / align) * align;
  const stored = JSON.stringify(await seal(source.raw, source.secrets, sealing));
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
        stored,
        start,
        source.schedule.every,
        phaseOf(source.name, source.schedule.every),
        source.schedule.settle,
        given.now,
      ],
    );
    // What stands in one project was never handed over to another, and streams of one platform mean nothing on another:
    // there, coverage begins anew.
    if (known !== undefined && (known.project_id !== projectId || known.platform !== source.platform)) {
      await client.query(
        `update stream set retired_at = now(), key = key || '~' || id where source_id = $1 and retired_at is null`,
        [row?.id],
      );
    }
    // Other sensors or names, or another place to find them: who comes first is decided anew. Not for a new password.
    if (
      differences.some(({ path }) => /^(?:organisation|project|platform|connection\.url|options|sensors)\b/.test(path))
    )
      await client.query('delete from series_name where source_id = $1', [row?.id]);
    await client.query(
      'update stream set retry_at = null, history_due_at = least(history_due_at, now()), failures = 0, last_fault = null, learned = null, caught_up_to = null where source_id = $1',
      [row?.id],
    );
    // Not deleted: a version that came again would let another process take its old token for the new one.
    await client.query(
      'update token set version = version + 1, sealed = null, replacing_until = null where source_id = $1',
      [row?.id],
    );
    await audit(client, given.actor, `source.${action}`, source.name, { differences });
  });
  return { name: source.name, action, differences };
}

/** Stands for a secret that was sealed with a key that is lost. Nobody writes it, so any secret is another one. */
const LOST = JSON.stringify('\0');

/** A stored configuration for a comparison, also where its secrets cannot be opened: applying it again is the cure. */
async function written(stored: unknown, sealing: Sealing): Promise<{ raw: unknown; secrets: readonly string[] }> {
  const open = (sealed: string): Promise<string> => sealing.open(sealed).catch(() => LOST);
  return { raw: await unseal(stored, { ...sealing, open }), secrets: sealedPaths(stored) };
}

async function projectOf(database: Database, source: SourceConfig): Promise<number> {
  const row = await database.row<{ id: number }>('select id from ml_project where organisation_id = $1 and code = $2', [
    source.organisation,
    source.project,
  ]);
  if (row) return row.id;
  throw new BridgeError(
    { code: 'config-invalid', path: 'project' },
    `there is no project ${source.project} in organisation ${source.organisation}`,
    {
      remedy: `databridge project create ${source.project}${source.organisation === 'default' ? '' : ` --organisation ${source.organisation}`}`,
    },
  );
}

/** What waits after a fault does not wait where an operator acts: they may have mended it. */
const ASK_ALL = `with asked as (
  update stream set retry_at = null, history_due_at = least(history_due_at, now())
  from source where source.id = source_id and name = $1)`;

const CHANGES = {
  pause: `update source set state = 'paused' where name = $1`,
  resume: `${ASK_ALL}, unlocked as (
    update token set replacing_until = null from source where source.id = source_id and name = $1) update source set state = 'active', revision = revision + 1, failures = 0, held_until = null, last_fault = null, next_due_at = now() where name = $1`,
  remove: 'delete from source where name = $1',
  poll: `${ASK_ALL} update source set next_due_at = now(), held_until = null, discovered_at = null where name = $1 and state = 'active'`,
} as const;

/**
 * Pauses, resumes, removes or polls a source at once. Readings of a removed source stay; its coverage goes.
 * Throws `config-invalid` for an unknown source, and for a poll of one that is not active.
 */
export async function changeSource(
  database: Database,
  change: keyof typeof CHANGES,
  name: string,
  actor: string,
): Promise<void> {
  await database.transaction(async (client) => {
    const [found] = await rowsOf<{ state: string }>(client, 'select state from source where name = $1', [name]);
    if (!found) throw unknownSource(name);
    const { rowCount } = await client.query(CHANGES[change], [name]);
    if (!rowCount) {
      throw new BridgeError({ code: 'config-invalid' }, `source ${name} is ${found.state}`, {
        remedy: `databridge source resume ${name}`,
      });
    }
    if (change !== 'poll') await audit(client, actor, `source.${change}`, name, {});
  });
}
