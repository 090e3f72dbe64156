import { audit } from '../access/audit.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { inactiveSource, unknownSource } from './unusable-source.ts';

/** SQL: lets every stream be asked at once, also where it waits after a fault, because the operator may have mended it. */
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
 * Pauses, resumes, removes or polls a source at once. The readings of a removed source stay; its coverage is deleted.
 * Throws `config-invalid` for an unknown source, and for a poll of a source that is not active.
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
    if (!rowCount) throw inactiveSource(name, found.state);
    if (change !== 'poll') await audit(client, actor, `source.${change}`, name, {});
  });
}
