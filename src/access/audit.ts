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
  await auditAll(client, [{ actor, action, subject, detail }]);
}

/** Records several changes; see `audit`. */
export async function auditAll(
  client: ClientBase,
  changes: readonly Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'detail'>[],
): Promise<void> {
  await client.query(
    'insert into audit (actor, action, subject, detail) select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[])',
    [
      changes.map(({ actor }) => printable(actor)),
      changes.map(({ action }) => action),
      changes.map(({ subject }) => printable(subject)),
      changes.map(({ detail }) => printableJson(detail)),
    ],
  );
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

/** The changes that are wanted; a field that is undefined chooses nothing. */
export interface AuditChoice {
  /** The id of the last entry of the page before. */
  readonly before?: number | undefined;
  /** The name of a source, or one that a source had; with its organisation, where that matters. */
  readonly source?: string | undefined;
  readonly organisation?: string | undefined;
  /** A part of the actor's name, in capital letters or not. */
  readonly actor?: string | undefined;
  readonly from?: Instant | undefined;
  /** An action such as `source.pause`, or with `*` at its end all that begin so. */
  readonly action?: string | undefined;
  /** The first instant after the wanted ones. */
  readonly to?: Instant | undefined;
  /** Only changes whose detail names one of these organisations. */
  readonly among?: readonly string[] | undefined;
}

/**
 * A source never changes its name. An operator who wants another name registers a new source, which takes the series of the old
 * one over. The query follows these take-overs back to the older names.
 */
const NAMED = `
  with recursive named (name, organisation) as (
    select $2::text, $3::text
    union
    select detail ->> 'from', detail ->> 'organisation' from audit join named on subject = name
    where action = 'source.take-over' and detail ->> 'sensors' is null and detail ->> 'from' is not null
      and (organisation is null or detail ->> 'organisation' = organisation))`;

const CHOSEN = `
  where ($1::bigint is null or id < $1)
    and ($2 is null or (action like 'source.%' or action like 'backfill.%') and exists (select from named
      where (subject = name or action = 'source.take-over' and detail ->> 'from' = name)
        and (organisation is null or coalesce(detail ->> 'organisation', 'default') = organisation)))
    and ($4::text is null or position(lower($4) in lower(actor)) > 0)
    and ($5::bigint is null or at >= at_instant($5)) and ($6::bigint is null or at < at_instant($6))
    and ($7::text[] is null or detail ->> 'organisation' = any($7)
      -- Earlier versions noted the organisation at the other service.
      and not (action = 'ingestion.push' and detail ? 'url'))
    and ($8::text is null or action = $8 or right($8, 1) = '*' and starts_with(action, rtrim($8, '*')))`;

const parametersOf = ({ before, source, organisation, actor, from, to, among, action }: AuditChoice): unknown[] =>
  [before, source, organisation, actor, from, to, among, action].map((value) => value ?? null);

/** The newest changes first. */
export const listAudit = (
  database: Database,
  choice: AuditChoice & { readonly limit: number },
): Promise<AuditEntry[]> =>
  database.rows<AuditEntry & Record<string, unknown>>(
    `${NAMED} select id, instant_of(at) as at, actor, action, subject, detail from audit ${CHOSEN} order by id desc limit $9`,
    [...parametersOf(choice), choice.limit],
  );

/** How many of the wanted changes were recorded before an entry. */
export async function olderAudit(database: Database, choice: AuditChoice, id: number): Promise<number> {
  const row = await database.row<{ older: number }>(
    `${NAMED} select count(*) as older from audit ${CHOSEN}`,
    parametersOf({ ...choice, before: id }),
  );
  return row?.older ?? 0;
}
