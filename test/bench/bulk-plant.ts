import type { SelectQuestion } from '../../adapters/platforms/influxdb/simulator/server.ts';
import { FIELD, SPACING, datasetOf, instantAt, valueAt } from './dataset.ts';
import type { Dataset, DatasetSeries } from './dataset.ts';
import { runInfluxPlant } from './influx-plant.ts';

// A platform that is never the limit: all rows are in memory as the text that InfluxDB sends. Option: points.

interface Rendered {
  readonly series: DatasetSeries;
  /** `[at,value],` one after the other; row n is `text[starts[n]..starts[n + 1] - 1]`, without its comma. */
  readonly text: Buffer;
  readonly starts: Uint32Array;
}

function render(dataset: Dataset, series: DatasetSeries): Rendered {
  const starts = new Uint32Array(dataset.pointsPerSeries + 1);
  const rows: string[] = [];
  let length = 0;
  for (let index = 0; index < dataset.pointsPerSeries; index += 1) {
    const row = `[${instantAt(dataset, index)},${valueAt(series, index)}],`;
    rows.push(row);
    length += row.length;
    starts[index + 1] = length;
  }
  return { series, text: Buffer.from(rows.join('')), starts };
}

await runInfluxPlant(({ points }: { readonly points: number }) => {
  const dataset = datasetOf(points);
  const rendered = Map.groupBy(
    dataset.series.map((series) => render(dataset, series)),
    ({ series }) => series.measurement,
  );
  const rowsBefore = (instant: number): number =>
    Math.min(dataset.pointsPerSeries, Math.max(0, Math.ceil((instant - dataset.from) / SPACING)));
  return (question) => {
    const [first, end] = [rowsBefore(question.fromUs), rowsBefore(question.toUs)];
    return chunksOf(rendered.get(question.measurement) ?? [], [first, end], question);
  };
});

function* chunksOf(
  all: readonly Rendered[],
  [first, end]: readonly [number, number],
  { statement, rowsPerChunk }: SelectQuestion,
): Generator<string | Uint8Array> {
  if (first >= end || all.length === 0) yield `{"results":[{"statement_id":${statement}}]}\n`;
  for (const { series, text, starts } of all) {
    const { measurement, unit } = series;
    const head = `{"results":[{"statement_id":${statement},"series":[{"name":"${measurement}","tags":{"unit":"${unit}"},"columns":["time","${FIELD}"],"values":[`;
    for (let row = first; row < end; row += rowsPerChunk) {
      const rowsEnd = Math.min(end, row + rowsPerChunk);
      const isLast = rowsEnd === end && series === all.at(-1)?.series;
      const rows = text.subarray(starts[row], (starts[rowsEnd] as number) - 1);
      const tail = `]${rowsEnd < end ? ',"partial":true' : ''}}]${isLast ? '' : ',"partial":true'}}]}\n`;
      yield Buffer.concat([Buffer.from(head), rows, Buffer.from(tail)]);
    }
  }
}
