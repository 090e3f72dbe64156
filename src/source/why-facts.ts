import { SECOND, instantOrNull } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import type { FoundSource } from './find-source.ts';
import { newestReadings } from './newest.ts';
import { reportSource } from './report.ts';
import type { SourceReport } from './report.ts';
import { unknownSource } from './unusable-source.ts';
import { vitalsOf } from './vitals.ts';
import { causesOf } from './why.ts';
import type { Cause, Circumstance, Round } from './why.ts';

const ROUND = `
  select count(*) as windows, sum(waited_ms)::float8 as waited, sum(http_ms)::float8 as http, sum(normalise_ms)::float8 as normalise,
    sum(store_ms)::float8 as store
  from (select distinct on (stream_id) waited_ms, http_ms, normalise_ms, store_ms from window_log
        where source_id = $1 and lane = 'live' and asked_at > now() - interval '1 hour' order by stream_id, asked_at desc) as newest`;

/** What the database knows about the circumstances of a source. */
async function circumstanceOf(database: Database, sourceId: number): Promise<Omit<Circumstance, 'silent' | 'doubted'>> {
  const { now, workers, plannerAge } = await vitalsOf(database);
  const round = await database.row<Round & { windows: number } & Record<string, unknown>>(ROUND, [sourceId]);
  return {
    now,
    workers: workers.length,
    plannerAge,
    round: round === undefined || round.windows === 0 ? undefined : round,
  };
}

/** A source, and why its readings are as old as they are. */
export interface ExplainedSource {
  readonly report: SourceReport;
  readonly causes: readonly Cause[];
}

/** Throws `config-invalid` for a source that was removed meanwhile. */
export async function explainSource(
  database: Database,
  listed: Registry['platforms'],
  source: FoundSource,
): Promise<ExplainedSource> {
  const report = await reportSource(database, source.id);
  if (report === undefined) throw unknownSource(source);
  const sensors = await newestReadings(database, source);
  const silent = sensors.filter((one) => one.silent);
  const doubted = sensors.filter((one) => !one.silent && one.doubt?.isAnswered === false);
  const known = { ...(await circumstanceOf(database, source.id)), silent, doubted };
  return { report, causes: causesOf(report, known, await loadedOf(listed, [report.platform])) };
}

/** The same as a JSON document, with lengths of time in seconds. */
export const whyDocument = ({ report, causes }: ExplainedSource) => ({
  name: report.name,
  condition: report.condition,
  lagSeconds: inSeconds(report.lag),
  overdueSeconds: inSeconds(report.overdue),
  newestAt: instantOrNull(report.newestAt),
  causes: causes.map(({ length, ...cause }) => ({ ...cause, seconds: inSeconds(length) })),
});

const inSeconds = (length: Microseconds | null): number | null => (length === null ? null : length / SECOND);
