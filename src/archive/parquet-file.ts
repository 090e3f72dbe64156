import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { formatInstant } from '../core/instant.ts';
import type { StoredReading } from '../core/reading.ts';
import { fileOfRows } from './day-file.ts';
import { connectDuck, workDirectory } from './duck.ts';

/**
 * Makes a Parquet file of readings, with the columns of an archived day, in a directory of its own that is removed when `use` has ended with it. `pages`
 * have them in the order of sensorId, valueName and instant. Parquet has its index at the end, so it is whole before its first byte is
 * of use; 50 bytes a reading of disk are needed meanwhile, and memory grows with the series alone.
 */
export async function withParquetOf<T>(
  pages: AsyncIterable<readonly StoredReading[]>,
  signal: AbortSignal,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'databridge-parquet-'));
  try {
    const duck = await connectDuck(directory);
    const stop = (): void => duck.interrupt();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const work = join(workDirectory(directory), 'readings');
      const series: string[] = [];
      await pipeline(linesOf(pages, series), createWriteStream(`${work}.csv`), { signal });
      await writeFile(`${work}.series.csv`, series);
      const path = `${work}.parquet`;
      await fileOfRows(duck, work, path);
      return await use(path);
    } finally {
      signal.removeEventListener('abort', stop);
      duck.closeSync();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Readings as `fileOfRows` takes them; `series` gets a line for each series. */
async function* linesOf(pages: AsyncIterable<readonly StoredReading[]>, series: string[]): AsyncGenerator<string> {
  let last: StoredReading | undefined;
  for await (const page of pages) {
    let text = '';
    for (const reading of page) {
      const { sensorId, valueName, at, value, precision, labels } = reading;
      if (sensorId !== last?.sensorId || valueName !== last.valueName)
        series.push(`${series.length},${quoted(sensorId)},${quoted(valueName)}\n`);
      last = reading;
      const set = labels.length === 0 ? '' : quoted(JSON.stringify(labels));
      text += `${series.length - 1},${formatInstant(at)},${value},${precision ?? ''},${set}\n`;
    }
    yield text;
  }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
