import type { ClientBase } from 'pg';
import { unseal } from '../access/sealed-config.ts';
import type { Sealing } from '../access/sealing.ts';
import { BridgeError, configInvalid } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { parseListed } from '../platform/platforms-for.ts';
import { printable } from '../database/printable.ts';
import type { SourceSchemas } from './comparison.ts';
import type { WantedSource } from './find-source.ts';
import { shownConfig } from './shown-config.ts';

/** A source keeps this many former configurations. */
const MOST_KEPT = 20;

/** Keeps the configuration of a source that a change or a removal ends, in the transaction of that change. */
export async function keepFormer(
  client: ClientBase,
  { name, organisation }: SourceName,
  { actor, ending }: { readonly actor: string; readonly ending: 'changed' | 'removed' },
): Promise<void> {
  await client.query(
    `insert into former_configuration (organisation_id, name, config, ended_by, ending)
     select organisation_id, name, config, $3, $4 from source where organisation_id = $1 and name = $2`,
    [organisation, name, printable(actor), ending],
  );
  await client.query(
    `delete from former_configuration where organisation_id = $1 and name = $2 and id not in (
       select id from former_configuration where organisation_id = $1 and name = $2 order by id desc limit ${MOST_KEPT})`,
    [organisation, name],
  );
}

/** A configuration that a source had, and its end. */
export interface Former {
  readonly source: SourceConfig;
  readonly endedAt: Instant;
  /** The actor of the change or removal. */
  readonly endedBy: string;
  readonly ending: 'changed' | 'removed';
}

/**
 * The configuration that a source had before its last change, or before its removal; with `id` the one of this number. Throws `config-invalid` where none is
 * kept, where several organisations have one of that name, and where this version does not understand it any more.
 */
export async function formerOf(
  {
    database,
    sealing,
    registry,
  }: { readonly database: Database; readonly sealing: Sealing; readonly registry: SourceSchemas },
  { name, organisation, id }: WantedSource & { readonly id?: number | undefined },
): Promise<Former> {
  const rows = await database.rows<Omit<Former, 'source'> & { organisation: string; config: unknown }>(
    `select distinct on (organisation_id) organisation_id as organisation, config, instant_of(ended_at) as "endedAt",
       ended_by as "endedBy", ending
     from former_configuration where name = $1 and ($2::text is null or organisation_id = $2) and ($3::bigint is null or id = $3)
     order by organisation_id, id desc`,
    [name, organisation ?? null, id ?? null],
  );
  const [row] = rows;
  if (row === undefined) {
    throw configInvalid(
      `no former configuration of a source ${name} is kept`,
      'databridge audit list shows what was changed',
    );
  }
  if (rows.length > 1) {
    throw configInvalid(
      `${rows.map((one) => one.organisation).join(' and ')} each had a source ${name}`,
      'say which with --organisation',
      'organisation',
    );
  }
  const { config, endedAt, endedBy, ending } = row;
  const parsed = await parseListed(await unseal(config, sealing), registry.platforms, { kinds: registry.kinds });
  if (parsed.ok) return { source: parsed.source, endedAt, endedBy, ending };
  const [problem] = parsed.problems;
  throw new BridgeError(
    { code: 'config-invalid' },
    `the former configuration of ${titleOf({ name, organisation: row.organisation })} is not valid any more: ${problem?.path ?? ''}: ${problem?.message ?? ''}`,
    { remedy: 'write a source file and apply it' },
  );
}

/** A former configuration as it is listed. */
export interface FormerConfiguration extends Omit<Former, 'source'> {
  readonly id: number;
  /** Without its secrets. */
  readonly config: unknown;
}

/** Bytes of the configurations that one list reads, except that it has one of any length. */
const MOST_READ = 4 * 1024 * 1024;

/** Whether a former configuration of a source is kept; with `id` the one of this number. */
export const isFormer = async (database: Database, { organisation, name }: SourceName, id?: number): Promise<boolean> =>
  (await database.row(
    `select from former_configuration where name = $1 and organisation_id = $2 and ($3::bigint is null or id = $3) limit 1`,
    [name, organisation, id ?? null],
  )) !== undefined;

/**
 * The former configurations of a source, also of one that was removed, the newest first: at most `limit` of them, with smaller ids than
 * `before`, and as many as 4 MB hold. @returns them, and whether there are more
 */
export async function formerConfigurations(
  { database, registry }: { readonly database: Database; readonly registry: Parameters<typeof shownConfig>[1] },
  { organisation, name }: SourceName,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<{ readonly items: readonly FormerConfiguration[]; readonly more: boolean }> {
  const rows = await database.rows<FormerConfiguration & { readonly left: number } & Record<string, unknown>>(
    `with sized as (
       select id, octet_length(config::text) as bytes, row_number() over newest as place,
         sum(octet_length(config::text)) over newest as upto, count(*) over () as number
       from former_configuration where name = $1 and organisation_id = $2 and ($3::bigint is null or id < $3)
       window newest as (order by id desc))
     select id, config, instant_of(ended_at) as "endedAt", ended_by as "endedBy", ending, (number - place)::int as left
     from sized join former_configuration using (id)
     where place <= $4 and (place = 1 or upto <= ${MOST_READ}) order by id desc`,
    [name, organisation, before ?? null, limit],
  );
  const items = await Promise.all(
    rows.map(async ({ id, config, endedAt, endedBy, ending }) => ({
      id,
      endedAt,
      endedBy,
      ending,
      config: await shownConfig(config, registry),
    })),
  );
  return { items, more: (rows.at(-1)?.left ?? 0) > 0 };
}
