import { archivedSums, together } from '../archive/cold-sums.ts';
import type { Sum } from '../archive/cold-sums.ts';
import { KEPT_FROM, keptFrom, keptPart } from '../archive/kept.ts';
import { inSnapshot } from '../archive/manifest.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { toLike } from './stored-readings.ts';

/** A series of a project in a list. */
export interface ListedSeries {
  readonly sensorId: string;
  readonly valueName: string;
  /** The source that it belongs to; null for pushing applications, and for one that nobody has written yet. */
  readonly owner: string | null;
  /** The instant of its newest reading; null before the first. */
  readonly newestAt: Instant | null;
}

/** A page of the series of a project, by sensorId and valueName, each by code point. `text`: a part of either, in capital letters or not. */
export const listSeries = (
  database: Database,
  projectId: number,
  wanted: {
    readonly text?: string | undefined;
    /** With `*` for any text. */
    readonly sensor?: string | undefined;
    readonly limit: number;
    readonly behind?: Pick<ListedSeries, 'sensorId' | 'valueName'> | undefined;
  },
): Promise<ListedSeries[]> =>
  database.rows<ListedSeries & Record<string, unknown>>(
    `select sensor_id as "sensorId", value_name as "valueName", nullif(owner, '') as owner,
       (select instant_of(at) from reading where series = page.id and at >= kept order by at desc limit 1) as "newestAt"
     from (
       select series.*, ${KEPT_FROM} as kept from series join ml_project on ml_project.id = project_id
       where project_id = $1 and ($2::text is null or sensor_id like $2)
         and ($3::text is null or position(lower($3) in lower(sensor_id)) > 0 or position(lower($3) in lower(value_name)) > 0)
         and ($4::text is null or (sensor_id collate "C", value_name collate "C") > ($4, $5))
       order by sensor_id collate "C", value_name collate "C" limit $6) as page
     order by sensor_id collate "C", value_name collate "C"`,
    [
      projectId,
      wanted.sensor === undefined ? null : toLike(wanted.sensor),
      wanted.text ?? null,
      wanted.behind?.sensorId ?? null,
      wanted.behind?.valueName ?? null,
      wanted.limit,
    ],
  );

/** Readings of equal lengths of time, summed. Bins without a reading are left out. */
export interface Bin {
  /** Its place from the begin of the range on. */
  readonly bin: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly count: number;
}

/** The bins of a range. */
export interface Binned {
  readonly bins: readonly Bin[];
  /** The project keeps the readings from this instant on; null: all readings. */
  readonly keptFrom: Instant | null;
}

/** SQL: a range of a series, in `$4` bins, from `$5` on. The division is that of whole microseconds. */
const BINS = `
  select ((instant_of(at) - $2::bigint) * $4::bigint / ($3::bigint - $2::bigint))::int as bin, min(value), max(value), sum(value), count(*)
  from reading where series = $1 and at >= at_instant($5) and at < at_instant($3) group by 1 order by 1`;

/** The instants at which the bins of `BINS` begin, and the end of the last one. */
function edgesOf({ from, to }: Window, bins: number): Instant[] {
  const length = BigInt(to - from);
  const count = BigInt(bins);
  return Array.from({ length: bins + 1 }, (_, bin) => from + Number((BigInt(bin) * length + count - 1n) / count));
}

/** The readings of a series in `bins` equal bins, computed in the database and in the archive; undefined for an unknown series. */
export async function binnedReadings(
  database: Database,
  projectId: number,
  wanted: { readonly sensorId: string; readonly valueName: string; readonly range: Window; readonly bins: number },
): Promise<Binned | undefined> {
  const { sensorId, valueName, range, bins } = wanted;
  const series = await database.row<{ id: number }>(
    'select id from series where project_id = $1 and sensor_id = $2 and value_name = $3',
    [projectId, sensorId, valueName],
  );
  if (series === undefined) return undefined;
  return await inSnapshot(database, async (asks) => {
    const kept = await keptFrom(asks, projectId);
    // The bins stay those of the range that was asked for.
    const first = keptPart(range, kept).from;
    const rows = await asks.rows<Sum & { bin: number }>(BINS, [series.id, range.from, range.to, bins, first]);
    const files = (await archivedSums(asks, [series.id], edgesOf(range, bins))).get(series.id);
    const found = new Map<number, Sum>(files);
    for (const { bin, ...sum } of rows) found.set(bin, together(sum, found.get(bin)));
    const shown = [...found]
      .toSorted(([one], [other]) => one - other)
      .map(([bin, { min, max, sum, count }]) => ({ bin, min, max, mean: sum / count, count }));
    return { bins: shown, keptFrom: kept ?? null };
  });
}
