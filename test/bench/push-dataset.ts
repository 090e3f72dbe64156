import { FIELD, datasetOf, instantAt, valueAt } from './dataset.ts';
import type { Dataset } from './dataset.ts';

/** Sensors of the plant that pushes. */
export const PUSH_SERIES = 64;

/** Readings of a body; the last body of a dataset may be shorter. */
export const BATCH = 1_000;

/** At most `points` readings, a whole number for each of the 64 series. */
export const pushDatasetOf = (points: number): Dataset => datasetOf(points, PUSH_SERIES, 8);

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
