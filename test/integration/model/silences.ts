import { coverageOf, intersect, subtract, union } from '../../../src/core/coverage.ts';
import type { Coverage } from '../../../src/core/coverage.ts';
import type { Instant } from '../../../src/core/instant.ts';
import { formatWindow } from '../../../src/core/window.ts';
import type { Window } from '../../../src/core/window.ts';
import { NAME } from './scene.ts';
import type { Run } from './scene.ts';

interface StoredSensor {
  readonly sensor: string;
  readonly covered: readonly [Instant, Instant][];
}

type Rows = <R extends Record<string, unknown>>(text: string, values: unknown[]) => Promise<R[]>;

/** Time of a silence that the bridge says it asked for once more, and that the plant answered. */
interface Doubted extends Window {
  readonly sensor: string;
}

export const doubtsNow = (rows: Rows): Promise<Doubted[]> =>
  rows<Doubted & Record<string, unknown>>(
    `select sensor, (of #>> '{4,0}')::bigint as from, (of #>> '{4,1}')::bigint as to
     from freshness join source on source.id = source_id cross join jsonb_each(known) as each (sensor, of)
     where source.name = $1 and (of #>> '{4,2}')::boolean`,
    [NAME],
  );

/** A silence counts only where the plant was asked twice for the time that should have held readings. After a change of names it may not be. */
export function silencesWereDoubted(
  { plant, applied }: Run,
  streams: readonly StoredSensor[],
  doubts: readonly Doubted[],
): void {
  if (applied.some(({ renamed }) => renamed !== applied[0]?.renamed)) return;
  for (const { sensor, ...time } of doubts) {
    let [once, twice]: [Coverage, Coverage] = [[], []];
    for (const { window, sensors } of plant.answers) {
      if (!sensors.includes(sensor)) continue;
      twice = union(twice, intersect(once, window));
      once = union(once, [window]);
    }
    const { covered = [] } = streams.find((one) => one.sensor === sensor) ?? {};
    const [unasked] = subtract(intersect(coverageOf(covered.map(([from, to]) => ({ from, to }))), time), twice);
    if (unasked) throw new Error(`${sensor} was silent in ${formatWindow(unasked)}, and was asked for it only once`);
  }
}
