import type { ClientBase } from 'pg';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { printable, printableJson } from '../database/printable.ts';

/** Records a change and its actor, in the transaction of the change. `detail` must never hold a secret. */
export async function audit(
  client: ClientBase,
  actor: string,
  action: string,
  subject: string,
  detail: unknown,
): Promise<void> {
  await client.query('insert into audit (actor, action, subject, detail) values ($1, $2, $3, $4)', [
    printable(actor),
    action,
    printable(subject),
    printableJson(detail),
  ]);
}

/** A recorded change. */
export interface AuditEntry {
  readonly id: number;
  readonly at: Instant;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: unknown;
}

/** The newest changes first. `before` is the id of the last entry of the page before. */
export const listAudit = (
  database: Database,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<AuditEntry[]> =>
  database.rows<AuditEntry & Record<string, unknown>>(
    `select id, instant_of(at) as at, actor, action, subject, detail from audit
     where $2::bigint is null or id < $2 order by id desc limit $1`,
    [page.limit, page.before ?? null],
  );

/** How many changes were recorded before an entry. */
export async function olderAudit(database: Database, id: number): Promise<number> {
  return (await database.row<{ older: number }>('select count(*) as older from audit where id < $1', [id]))?.older ?? 0;
}
