import { audit } from '../access/audit.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { setGate } from './gate.ts';
import { inactiveSource, unknownSource } from './unusable-source.ts';

/** SQL for each change of the source with id `$1`. */
const CHANGES = {
  pause: [`update source set state = 'paused' where id = $1`],
  resume: [
    `update source set state = 'active', revision = revision + 1, failures = 0, held_until = null, last_fault = null,
       next_due_at = now() where id = $1`,
    'update stream set source_revision = source.revision from source where source.id = source_id and source_id = $1',
    'update token set replacing_until = null where source_id = $1',
  ],
  remove: ['delete from source where id = $1'],
  poll: [
    `update source set next_due_at = now(), held_until = null, discovered_at = null where id = $1 and state = 'active'`,
  ],
} as const;

/** Lets every stream be asked at once, also where it waits after a fault, because the operator may have mended it. */
const ASK_ALL = `update stream set retry_at = null, history_due_at = least(history_due_at, now()) where source_id = $1`;

/**
 * Pauses, resumes, removes or polls a source at once. A run that is under way gets no further slot after a pause. The
 * readings of a removed source stay; its coverage is deleted.
 * Throws `config-invalid` for an unknown source, and for a poll of a source that is not active.
 */
export async function changeSource(
  database: Database,
  change: keyof typeof CHANGES,
  name: string,
  actor: string,
): Promise<void> {
  await database.transaction(async (client) => {
    const [found] = await rowsOf<{ id: number; state: string }>(
      client,
      'select id, state from source where name = $1 for update',
      [name],
    );
    if (!found) throw unknownSource(name);
    const [first, ...others] = CHANGES[change];
    const { rowCount } = await client.query(first, [found.id]);
    if (!rowCount) throw inactiveSource(name, found.state);
    for (const statement of others) await client.query(statement, [found.id]);
    if (change === 'resume' || change === 'poll') await client.query(ASK_ALL, [found.id]);
    await setGate(client, found.id, { liftHold: change === 'resume' || change === 'poll' });
    if (change !== 'poll') await audit(client, actor, `source.${change}`, name, {});
  });
}
