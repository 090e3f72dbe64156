import { DAY, formatInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Database } from '../../../src/database/database.ts';
import { mostInAnySecond } from '../../kit/sliding-second.ts';
import type { MonthPlant } from './plant.ts';
import { BEGIN, PACE } from './scene.ts';

/** The readings of a source against the truth of its plant. */
export interface Account {
  readonly source: string;
  readonly truth: number;
  readonly stored: number;
  /** Refused ever, and refused still. */
  readonly refused: number;
  readonly stillRefused: number;
  /** True, and not stored. */
  readonly lost: number;
  /** Stored with a value that the plant has revised, or never had. */
  readonly wrong: number;
  /** Stored, and no point of the plant, such as one that was stored a second time beside its instant. */
  readonly doubled: number;
  readonly requests: number;
  readonly busiestSecond: number;
  readonly allowed: number;
  readonly late: number;
  readonly revised: number;
  /** The first of each difference, for people. */
  readonly examples: readonly string[];
}

/** Compares point for point. Points after `until` may still be under way: they are counted as true, and not as lost. */
export async function accountOf(database: Database, plant: MonthPlant, until: Instant): Promise<Account> {
  const source = plant.platform.name;
  const stored = new Map<string, number>();
  const examples: string[] = [];
  const rows = await database.rows<{ sensor: string; at: Instant; value: number }>(
    'select sensor_id as sensor, instant_of(at) as at, value from reading join series on series.id = series where owner = $1',
    [source],
  );
  for (const { sensor, at, value } of rows) stored.set(`${sensor} ${at}`, value);
  let [truth, lost, wrong] = [0, 0, 0];
  const differs = (what: string, sensor: string, at: Instant, of: number): number => {
    if (of === 0) examples.push(`${sensor} ${formatInstant(at)} ${what}`);
    return of + 1;
  };
  for (const { id, points } of plant.sensors) {
    for (const { at, last, shownAt } of points) {
      const key = `${id} ${at}`;
      const found = stored.get(key);
      stored.delete(key);
      if (at >= until) continue;
      truth += 1;
      if (found === undefined) lost = differs(`is not stored, shown ${formatInstant(shownAt)}`, id, at, lost);
      else if (found !== last) wrong = differs(`is ${found} and not ${last}`, id, at, wrong);
    }
  }
  const [extra] = stored.keys();
  if (extra !== undefined) examples.push(`${extra} is stored and not true`);
  const sums = await database.row<Pick<Account, 'refused' | 'stillRefused' | 'late' | 'revised'>>(
    `select coalesce(sum(refused), 0) as refused, coalesce(sum(late), 0) as late, coalesce(sum(revised), 0) as revised,
       (select coalesce(sum(cardinality(points)), 0) from refused_hour join stream on stream.id = stream_id where stream.source_id = source.id) as "stillRefused"
     from source left join window_sum on source_id = source.id where name = $1 group by source.id`,
    [source],
  );
  if (sums === undefined) throw new Error(`there is no source ${source}`);
  return {
    source,
    truth,
    stored: rows.length,
    ...sums,
    lost,
    wrong,
    doubled: stored.size + rows.length - new Set(rows.map(({ sensor, at }) => `${sensor} ${at}`)).size,
    requests: plant.seen.length,
    busiestSecond: mostInAnySecond(plant.seen.map(({ at }) => at / 1_000)),
    allowed: PACE.burst + PACE.requestsPerSecond,
    examples,
  };
}

/** The most requests for the archive on a day of UTC, as the platform saw them. */
export function busiestDayOfArchive({ seen }: MonthPlant): number {
  const archive = seen.filter(({ window }) => window !== undefined && window.to <= BEGIN);
  return Math.max(
    0,
    ...[...Map.groupBy(archive, ({ at }) => Math.floor(at / DAY)).values()].map(({ length }) => length),
  );
}
