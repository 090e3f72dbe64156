import type { Database } from '../database/database.ts';
import { vitalsOf } from './vitals.ts';
import type { Circumstance, Round } from './why.ts';

const ROUND = `
  select count(*) as windows, sum(waited_ms)::float8 as waited, sum(http_ms)::float8 as http, sum(normalise_ms)::float8 as normalise,
    sum(store_ms)::float8 as store
  from (select distinct on (stream_id) waited_ms, http_ms, normalise_ms, store_ms from window_log
        where source_id = $1 and lane = 'live' and asked_at > now() - interval '1 hour' order by stream_id, asked_at desc) as newest`;

/** What the database knows about the circumstances of a source. */
export async function circumstanceOf(database: Database, sourceId: number): Promise<Circumstance> {
  const { now, workers, plannerAge } = await vitalsOf(database);
  const round = await database.row<Round & { windows: number } & Record<string, unknown>>(ROUND, [sourceId]);
  return {
    now,
    workers: workers.length,
    plannerAge,
    round: round === undefined || round.windows === 0 ? undefined : round,
  };
}
