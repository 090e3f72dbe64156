import { FIELD, SPACING, instantAt, valueAt } from './dataset.ts';
import type { Dataset, DatasetSeries } from './dataset.ts';

/** Sensors of the plant that pushes. */
export const PUSH_SERIES = 64;

/** Readings of a body; the last body of a dataset may be shorter. */
export const BATCH = 1_000;

/** `points` readings, rounded down to a multiple of the 64 series, within one month like the dataset of `pull`. */
export function pushDatasetOf(points: number): Dataset {
  const pointsPerSeries = Math.floor(points / PUSH_SERIES);
  const from = Date.UTC(2026, 0, 5) * 1_000;
  const to = from + pointsPerSeries * SPACING;
  if (pointsPerSeries < 1 || to > Date.UTC(2026, 1, 1) * 1_000) {
    throw new RangeError(`--points must be at least ${2 * PUSH_SERIES}, and at most 100,000,000`);
  }
  const series = Array.from({ length: PUSH_SERIES }, (_, number): DatasetSeries => {
    const measurement = `line${Math.floor(number / 8)}`;
    const unit = `pump-${String(number).padStart(2, '0')}`;
    return { measurement, unit, sensorId: `${measurement},unit=${unit}`, number };
  });
  return { from, to, pointsPerSeries, series };
}

/** Bodies as a gateway sends them: all sensors of an instant, then of the next instant, a thousand readings a body. */
export function* bodiesOf(dataset: Dataset): Generator<{ readonly readings: number; readonly body: Buffer }> {
  let batch: string[] = [];
  for (let index = 0; index < dataset.pointsPerSeries; index += 1) {
    const date = new Date(instantAt(dataset, index) / 1_000).toISOString();
    for (const series of dataset.series) {
      const { sensorId } = series;
      batch.push(
        `{"sensorId":"${sensorId}","valueName":"${FIELD}","date":"${date}","value":${valueAt(series, index)}}`,
      );
      if (batch.length < BATCH) continue;
      yield { readings: batch.length, body: Buffer.from(`[${batch.join(',')}]`) };
      batch = [];
    }
  }
  if (batch.length > 0) yield { readings: batch.length, body: Buffer.from(`[${batch.join(',')}]`) };
}
