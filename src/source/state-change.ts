import { audit } from '../access/audit.ts';
import { BridgeError } from '../core/errors.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { RETRY_UNREADABLE } from '../pull/unreadable-rows.ts';
import { HISTORIES_NOW, LOOK_NOW, POLL_NOW } from '../pull/work.ts';
import { setGate } from './gate.ts';
import { keepFormer } from './former.ts';
import { findSource } from './find-source.ts';
import type { FoundSource, WantedSource } from './find-source.ts';
import { assertRevision } from './revision.ts';
import type { ExpectedRevision } from './revision.ts';
import { inactiveSource, unknownSource } from './unusable-source.ts';

/** A change that an operator makes to a source. */
export type SourceChange = keyof typeof CHANGES;

/** SQL for each change of the source with id `$1`. */
const CHANGES = {
  pause: [`update source set state = 'paused' where id = $1`],
  resume: [
    `update source set state = 'active', revision = revision + 1, failures = 0, held_until = null, last_fault = null where id = $1`,
    'update stream set source_revision = source.revision from source where source.id = source_id and source_id = $1',
    'update token set replacing_until = null where source_id = $1',
  ],
  remove: ['delete from source where id = $1'],
  poll: [`update source set held_until = null where id = $1 and state = 'active'`],
} as const;

/** Lets the platform be asked for everything at once, also where a stream waits after a fault, because the operator may have mended it. */
const ASK_ALL = [
  'update stream set retry_at = null where source_id = $1',
  RETRY_UNREADABLE,
  POLL_NOW,
  LOOK_NOW,
  HISTORIES_NOW,
];

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
    const [found] = await rowsOf<{ state: string }>(client, 'select state from source where id = $1 for update', [
      source.id,
    ]);
    if (!found) throw unknownSource(source);
    if (change === 'remove') await keepFormer(client, source, { actor, ending: 'removed' });
    const [first, ...others] = CHANGES[change];
    const { rowCount } = await client.query(first, [source.id]);
    if (!rowCount) throw inactiveSource(source, found.state);
    for (const statement of others) await client.query(statement, [source.id]);
    if (change === 'resume' || change === 'poll') {
      for (const ask of ASK_ALL) await client.query(ask, [source.id]);
    }
    await setGate(client, source.id, { liftHold: change === 'resume' || change === 'poll' });
    await audit(client, actor, `source.${change}`, source.name, { organisation: source.organisation });
  });
  return source;
}

/** How a change of one of several sources ended; without an `error` it is done. */
export interface SourceChanged {
  readonly source: FoundSource;
  readonly error?: BridgeError;
}

/** Changes sources one after the other. One that cannot be changed (`config-invalid`) stops no other. */
export async function changeSources(
  database: Database,
  change: SourceChange,
  sources: readonly FoundSource[],
  actor: string,
): Promise<readonly SourceChanged[]> {
  const changed: SourceChanged[] = [];
  for (const source of sources) {
    try {
      changed.push({ source: await changeSource(database, change, source, actor) });
    } catch (error) {
      if (!(error instanceof BridgeError) || error.code !== 'config-invalid') throw error;
      changed.push({ source, error });
    }
  }
  return changed;
}
