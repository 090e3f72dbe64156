import type { HourlyRefusals, KeptRefusal, RefusalCount } from '../core/kept-refusals.ts';
import type { Database } from '../database/database.ts';

interface Wanted {
  readonly sourceId: number;
  readonly reason: string | undefined;
  readonly limit: number;
}

const OF_SOURCE = `stream_id in (select id from stream where source_id = $1)
  and ($2::text is null or reason = $2)`;

/** The latest kept refusals of a source and its latest hourly counts. */
export async function refusalsOf(
  database: Database,
  { sourceId, reason, limit }: Wanted,
): Promise<{ readonly kept: readonly KeptRefusal[]; readonly hours: readonly HourlyRefusals[] }> {
  const values = [sourceId, reason ?? null, limit];
  const kept = await database.rows<KeptRefusal & Record<string, unknown>>(
    `select reason, sensor, variable, instant_of(at) as at, raw, instant_of(noted_at) as "notedAt"
     from refusal where ${OF_SOURCE} order by noted_at desc, id desc limit $3`,
    values,
  );
  const hours = await database.rows<HourlyRefusals & Record<string, unknown>>(
    `select instant_of(hour) as hour, reason, sum(refused) as refused, sum(refusal_count.kept) as kept
     from refusal_count where ${OF_SOURCE} group by 1, 2 order by 1 desc, 2 limit $3`,
    values,
  );
  return { kept, hours };
}

const EXAMPLES_PER_REASON = 3;

/** Refusals of a source by reason, the most frequent reason first, each with its latest examples. */
export const refusalsByReason = (
  database: Database,
  sourceId: number,
): Promise<(RefusalCount & { readonly examples: readonly Omit<KeptRefusal, 'reason' | 'notedAt'>[] })[]> =>
  database.rows(
    `select reason, counted.refused, counted.kept, coalesce(shown.examples, '[]') as examples
     from (select reason, sum(refused) as refused, sum(kept) as kept from refusal_count where ${OF_SOURCE} group by reason) as counted
     cross join lateral (
       select jsonb_agg(jsonb_build_object('sensor', sensor, 'variable', variable, 'at', instant_of(at), 'raw', raw)) as examples
       from (select * from refusal where refusal.reason = counted.reason and ${OF_SOURCE} order by noted_at desc, id desc
             limit ${EXAMPLES_PER_REASON}) as latest) as shown
     order by counted.refused desc`,
    [sourceId, null],
  );
