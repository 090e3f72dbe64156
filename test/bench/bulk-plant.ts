import type { ServerResponse } from 'node:http';
import { FIELD, SPACING, datasetOf, instantAt, valueAt } from './dataset.ts';
import type { Dataset, DatasetSeries } from './dataset.ts';
import { EMPTY, fieldsDocument, servePlant } from './plant-http.ts';
import type { Question } from './plant-http.ts';

// A platform that is never the limit: all rows stand in memory as the text InfluxDB would send. Argument: points.

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

const dataset = datasetOf(Number(process.argv[2]));
const rendered = Map.groupBy(
  dataset.series.map((series) => render(dataset, series)),
  ({ series }) => series.measurement,
);

/** The number of rows before an instant. */
const rowsBefore = (instant: number): number =>
  Math.min(dataset.pointsPerSeries, Math.max(0, Math.ceil((instant - dataset.from) / SPACING)));

async function answer(question: Question, response: ServerResponse): Promise<void> {
  const { measurement, chunkSize } = question;
  response.write(fieldsDocument(measurement, FIELD));
  const [first, end] = [rowsBefore(question.from), rowsBefore(question.to)];
  const all = rendered.get(measurement) ?? [];
  if (first >= end || all.length === 0) {
    response.write(EMPTY);
    return;
  }
  for (const one of all) {
    for (let row = first; row < end; row += chunkSize) {
      const last = one === all.at(-1) && row + chunkSize >= end;
      await writeChunk(response, one, [row, Math.min(end, row + chunkSize)], { more: row + chunkSize < end, last });
    }
  }
}

async function writeChunk(
  response: ServerResponse,
  { series, text, starts }: Rendered,
  [from, to]: readonly [number, number],
  { more, last }: { more: boolean; last: boolean },
): Promise<void> {
  const head = `{"results":[{"statement_id":1,"series":[{"name":"${series.measurement}","tags":{"unit":"${series.unit}"},"columns":["time","${FIELD}"],"values":[`;
  const rows = text.subarray(starts[from], (starts[to] as number) - 1);
  const tail = `]${more ? ',"partial":true' : ''}}]${last ? '' : ',"partial":true'}}]}\n`;
  // In one piece: a corked response may owe its 'drain' for ever.
  const written = response.write(Buffer.concat([Buffer.from(head), rows, Buffer.from(tail)]));
  if (!written) await drained(response);
}

/** The bridge wants more, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (response.destroyed) resolve();
  response.once('drain', resolve).once('close', resolve);
  return promise.finally(() => response.off('drain', resolve).off('close', resolve));
}

await servePlant(answer);
