import type { ClientBase } from 'pg';
import { BridgeError } from '../core/errors.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import { rowsOf } from '../database/database.ts';

/**
 * SQL: a text that names one state of the configuration of a source. A source that was removed and registered again has another one,
 * because the edition is random.
 */
export const REVISION_TAG = `source.revision || '-' || left(source.edition::text, 8)`;

/** The `REVISION_TAG` of the state that an operator had read; null: the source was not registered. */
export type ExpectedRevision = string | null;

/** The source is not in the state that the operator had read. */
export class ChangedMeanwhile extends BridgeError {}

/**
 * Throws `ChangedMeanwhile` where a source is not in the state that `expected` names; null expects that there is none, undefined expects
 * nothing. Locks the row of the source until the transaction ends.
 */
export async function assertRevision(
  client: ClientBase,
  source: SourceName,
  expected: ExpectedRevision | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const [row] = await rowsOf<{ tag: string }>(
    client,
    `select ${REVISION_TAG} as tag from source where organisation_id = $1 and name = $2 for update`,
    [source.organisation, source.name],
  );
  if ((row?.tag ?? null) === expected) return;
  const state = row === undefined ? 'was removed' : 'was changed';
  throw changedMeanwhile(
    expected === null
      ? `source ${titleOf(source)} was registered meanwhile`
      : `source ${titleOf(source)} ${state} since revision ${expected.slice(0, 40)}`,
  );
}

/** The source is not in the state that the operator had read, in the words of `message`. */
export const changedMeanwhile = (message: string): ChangedMeanwhile =>
  new ChangedMeanwhile({ code: 'config-invalid' }, message, {
    remedy: 'read the source again, and send the change with its present revision',
  });
