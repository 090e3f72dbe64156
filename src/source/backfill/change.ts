import { audit } from '../../access/audit.ts';
import { configInvalid } from '../../core/errors.ts';
import type { BridgeError } from '../../core/errors.ts';
import { rowsOf } from '../../database/database.ts';
import type { Database } from '../../database/database.ts';
import { FINISH_COVERED } from '../../pull/history/wishes.ts';
import { askHistories } from '../../pull/work.ts';

/** What an operator does with a backfill: the state that it leads to, the states that it leads from, and its word in the audit. */
const CHANGES = {
  pause: { to: 'paused', from: ['running'], action: 'backfill.paused' },
  resume: { to: 'running', from: ['paused'], action: 'backfill.resumed' },
  cancel: { to: 'cancelled', from: ['running', 'paused'], action: 'backfill.cancelled' },
} as const;

export type BackfillChange = keyof typeof CHANGES;

/**
 * Pauses, resumes or cancels a backfill. Windows under way are stored. A resumed one goes on at once, and what was covered meanwhile
 * is not asked for again. @returns false where it was in that state already. Throws `config-invalid` for an unknown one, and for one
 * that has ended.
 */
export const changeBackfill = (
  database: Database,
  id: number,
  change: BackfillChange,
  actor: string,
): Promise<boolean> =>
  database.transaction(async (client) => {
    const { to, from, action } = CHANGES[change];
    const [backfill] = await rowsOf<{ state: string; sourceId: number; name: string; organisation: string }>(
      client,
      `select backfill.state, source_id as "sourceId", name, organisation_id as organisation
       from backfill join source on source.id = source_id where backfill.id = $1 for update of backfill`,
      [id],
    );
    if (backfill === undefined) throw unknownBackfill(id);
    if (backfill.state === to) return false;
    if (!from.some((state) => state === backfill.state)) throw hasEnded(id, backfill.state, change);
    await client.query(
      `update backfill set state = $2, finished_at = case when $2 = 'cancelled' then now() end where id = $1`,
      [id, to],
    );
    if (change === 'resume') {
      await client.query(
        askHistories(
          'from stream join backfill_stream on stream_id = stream.id where backfill_id = $1 and retired_at is null',
        ),
        [id],
      );
      await client.query(FINISH_COVERED, [backfill.sourceId]);
    }
    await audit(client, actor, action, backfill.name, { organisation: backfill.organisation, backfill: id });
    return true;
  });

/** `config-invalid`: there is no backfill of this number. */
export const unknownBackfill = (id: number): BridgeError =>
  configInvalid(`there is no backfill ${id}`, 'databridge backfill list shows all backfills');

const hasEnded = (id: number, state: string, change: BackfillChange): BridgeError =>
  configInvalid(
    `backfill ${id} is ${state}`,
    change === 'cancel'
      ? 'what it stored stays; there is nothing to cancel'
      : 'databridge backfill start begins another one',
  );
