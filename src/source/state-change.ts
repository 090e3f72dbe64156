import type { ClientBase } from 'pg';
import { auditAll } from '../access/audit.ts';
import type { BridgeError } from '../core/errors.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { RETRY_UNREADABLE } from '../pull/unreadable-rows.ts';
import { HISTORIES_NOW, LOOKS_NOW, POLLS_NOW } from '../pull/work.ts';
import { setGate } from './gate.ts';
import { keepFormer } from './former.ts';
import { findSource } from './find-source.ts';
import type { FoundSource, WantedSource } from './find-source.ts';
import { assertRevision } from './revision.ts';
import type { ExpectedRevision } from './revision.ts';
import { inactiveSource, unknownSource } from './unusable-source.ts';

/** A change that an operator makes to a source. */
export type SourceChange = keyof typeof CHANGES;

/** SQL for each change of the sources with the ids `$1`. */
const CHANGES = {
  pause: [`update source set state = 'paused' where id = any($1::int[])`],
  resume: [
    `update source set state = 'active', revision = revision + 1, failures = 0, held_until = null, last_fault = null where id = any($1::int[])`,
    'update stream set source_revision = source.revision from source where source.id = source_id and source_id = any($1::int[])',
    'update token set replacing_until = null where source_id = any($1::int[])',
  ],
  remove: ['delete from source where id = any($1::int[])'],
  poll: [`update source set held_until = null where id = any($1::int[])`],
} as const;

/** Lets the platform be asked for everything at once, also where a stream waits after a fault, because the operator may have mended it. */
const ASK_ALL = [
  'update stream set retry_at = null where source_id = any($1::int[])',
  RETRY_UNREADABLE,
  POLLS_NOW,
  LOOKS_NOW,
  HISTORIES_NOW,
];

/** Sources that are changed in one transaction: it locks their rows, and workers wait for them. */
const AT_A_TIME = 250;

/**
 * Pauses, resumes, removes or polls a source at once, and returns it. A run that is under way gets no further slot after a pause. The
 * readings of a removed source stay; its coverage is deleted.
 * Throws `config-invalid` for an unknown source, and for a poll of a source that is not active; `ChangedMeanwhile` where the source
 * is not in the `expected` state (`revisionTag` of its report).
 */
export async function changeSource(
  database: Database,
  change: SourceChange,
  wanted: WantedSource,
  actor: string,
  expected?: ExpectedRevision,
): Promise<FoundSource> {
  const source = await findSource(database, wanted);
  await database.transaction(async (client) => {
    await assertRevision(client, source, expected);
    const [changed] = await changeTogether(client, change, [source], actor);
    if (changed?.error) throw changed.error;
  });
  return source;
}

/** How a change of one of several sources ended; without an `error` it is done. */
export interface SourceChanged {
  readonly source: FoundSource;
  readonly error?: BridgeError;
}

/** Changes sources, many with each statement. One that cannot be changed (`config-invalid`) stops no other. */
export async function changeSources(
  database: Database,
  change: SourceChange,
  sources: readonly FoundSource[],
  actor: string,
): Promise<readonly SourceChanged[]> {
  const changed: SourceChanged[] = [];
  for (let from = 0; from < sources.length; from += AT_A_TIME) {
    const together = sources.slice(from, from + AT_A_TIME);
    changed.push(...(await database.transaction((client) => changeTogether(client, change, together, actor))));
  }
  return changed;
}

/** Changes those of the sources that can be changed, in the transaction of `client`. */
async function changeTogether(
  client: ClientBase,
  change: SourceChange,
  sources: readonly FoundSource[],
  actor: string,
): Promise<SourceChanged[]> {
  const locked = await rowsOf<{ id: number; state: string }>(
    client,
    'select id, state from source where id = any($1::int[]) order by id for update',
    [sources.map(({ id }) => id)],
  );
  const states = new Map(locked.map(({ id, state }) => [id, state]));
  const judged = sources.map((source): SourceChanged => {
    const state = states.get(source.id);
    if (state === undefined) return { source, error: unknownSource(source) };
    return change === 'poll' && state !== 'active' ? { source, error: inactiveSource(source, state) } : { source };
  });
  const able = judged.filter(({ error }) => error === undefined).map(({ source }) => source);
  const ids = able.map(({ id }) => id);
  if (change === 'remove') for (const source of able) await keepFormer(client, source, { actor, ending: 'removed' });
  const asks = change === 'resume' || change === 'poll';
  for (const statement of [...CHANGES[change], ...(asks ? ASK_ALL : [])]) await client.query(statement, [ids]);
  await setGate(client, ids, { liftHold: asks });
  await auditAll(
    client,
    able.map(({ name, organisation }) => ({
      actor,
      action: `source.${change}`,
      subject: name,
      detail: { organisation },
    })),
  );
  return judged;
}
