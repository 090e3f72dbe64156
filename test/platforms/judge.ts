import { formatInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { SimulatedProduct } from '../../src/simulator/contract.ts';
import { microsOf, millisOf } from '../../src/simulator/instants.ts';
import { truePoints } from '../../src/simulator/truth.ts';
import type { TruthSpec, Value } from '../../src/simulator/truth.ts';
import type { Plant } from './plants.ts';

/** The readings in the database beside the truth of the simulator. */
export interface Verdict {
  /** True points. */
  readonly points: number;
  /** True points that no reading with their value stands for. */
  readonly lost: number;
  /** Readings that stand for no true point, or for one that another reading stands for, too. */
  readonly doubled: number;
  /** A few of both, in words. */
  readonly examples: readonly string[];
}

/**
 * Compares point by point. The truth from `from` on counts, up to `settled` as points that must be there, and behind it as points
 * that may be.
 */
export async function judge(
  database: Database,
  { product, plant, truth }: { readonly product: SimulatedProduct; readonly plant: Plant; readonly truth: TruthSpec },
  { from, settled, now }: { readonly from: Instant; readonly settled: Instant; readonly now: Instant },
): Promise<Verdict> {
  const expected = new Map<string, number>();
  let points = 0;
  for (const device of truth.devices) {
    for (const key of device.keys) {
      const names = plant.seriesOf?.(device, key);
      if (names === null) continue;
      const { sensorId, valueName } = names ?? product.seriesOf(device, key);
      for (const point of truePoints(truth, device.id, key.name, { fromMs: millisOf(from), toMs: millisOf(now) })) {
        const at = microsOf(point);
        expected.set(`${sensorId} ${valueName} ${at}`, numberOf(point.value));
        if (at < settled) points += 1;
      }
    }
  }
  const examples: string[] = [];
  const note = (text: string): void => void (examples.length < 5 && examples.push(text));
  let doubled = 0;
  const rows = await database.rows<{ place: string; value: number }>(
    `select concat_ws(' ', sensor_id, value_name, instant_of(at)) as place, value
     from reading join series on series.id = series order by at`,
  );
  for (const { place, value } of rows) {
    if (expected.get(place) === value) expected.delete(place);
    else {
      doubled += 1;
      note(`${worded(place)} is stored as ${value}; the truth: ${expected.get(place) ?? 'nothing, or stored before'}`);
    }
  }
  const lost = [...expected.keys()].filter((place) => instantOf(place) < settled);
  for (const place of lost) note(`${worded(place)} is lost`);
  return { points, lost: lost.length, doubled, examples };
}

const instantOf = (place: string): Instant => Number(place.slice(place.lastIndexOf(' ') + 1));

const worded = (place: string): string =>
  `${place.slice(0, place.lastIndexOf(' '))} at ${formatInstant(instantOf(place))}`;

/** The value of a point as a reading has it: the code of a state, 0 or 1 of a boolean. */
function numberOf(value: Value): number {
  if (typeof value === 'object') return Number(value['code']);
  return Number(value);
}
