import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { keptFrom } from '../../archive/kept.ts';
import { withParquetOf } from '../../archive/parquet-file.ts';
import { BridgeError, configInvalid } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import type { Database } from '../../database/database.ts';
import { storedReadings } from '../../ingest/stored-readings.ts';
import { readingDocument } from '../../core/reading.ts';
import type { StoredReading } from '../../core/reading.ts';
import { withContext } from '../../context.ts';
import { table } from '../../terminal/output.ts';
import { READING_FIELDS, csvLine, readingCells } from '../../terminal/reading-rows.ts';
import { folded, widthOf } from '../../terminal/words.ts';
import { TABLE_LIMIT, parseTime } from '../options.ts';
import { interruptible } from './stop.ts';

interface ReadingsOptions {
  readonly organisation: string;
  readonly from: string;
  readonly to?: string;
  readonly sensor?: string;
  readonly format: Format;
  readonly limit?: number;
}

type Format = 'table' | 'ndjson' | 'csv' | 'parquet';

/** `readings`. */
export async function readings(project: string, options: ReadingsOptions): Promise<void> {
  await withContext(async ({ database, clock }) => {
    const now = clock.now();
    const range = {
      from: parseTime(options.from, now, '--from'),
      to: options.to === undefined ? now : parseTime(options.to, now, '--to'),
    };
    if (range.from >= range.to) {
      throw configInvalid('--from is not before --to', 'give a range that begins before it ends', '--to');
    }
    const projectId = await projectOf(database, options.organisation, project);
    if (options.format === 'parquet' && process.stdout.isTTY)
      throw configInvalid('Parquet is no text for a terminal', 'send it to a file: > readings.parquet', '--format');
    const kept = await keptFrom(database, projectId);
    if (kept !== undefined && range.from < kept)
      process.stderr.write(`readings from before ${formatInstant(kept)} are not kept\n`);
    const pages = storedReadings(database, { projectId, range, sensor: options.sensor });
    await print(pages, options.format, options.limit ?? (options.format === 'table' ? TABLE_LIMIT : Infinity));
  });
}

async function projectOf(database: Database, organisation: string, code: string): Promise<number> {
  const row = await database.row<{ id: number }>('select id from ml_project where organisation_id = $1 and code = $2', [
    organisation,
    code,
  ]);
  if (row) return row.id;
  const source = await database.row<{ code: string }>(
    'select code from source join ml_project on ml_project.id = project_id where source.name = $1 and source.organisation_id = $2',
    [code, organisation],
  );
  throw new BridgeError(
    { code: 'config-invalid', path: 'project' },
    `there is no project ${code} in organisation ${organisation}`,
    {
      remedy: source
        ? `${code} is a source; its readings are in the project ${source.code}`
        : 'databridge project list shows all projects',
    },
  );
}

/** Prints as fast as the reader of the pipe takes it. A reader that ends early (`| head`) is no error. */
async function print(pages: AsyncIterable<readonly StoredReading[]>, format: Format, limit: number): Promise<void> {
  try {
    if (format === 'parquet')
      await interruptible('nothing was printed', (signal) =>
        withParquetOf(upTo(limit, pages), signal, (path) =>
          pipeline(createReadStream(path), process.stdout, { end: false, signal }),
        ),
      );
    else await pipeline(FORMATS[format](pages, limit), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

const FORMATS: Readonly<
  Record<
    Exclude<Format, 'parquet'>,
    (pages: AsyncIterable<readonly StoredReading[]>, limit: number) => AsyncGenerator<string>
  >
> = {
  async *table(pages, limit) {
    const readings: StoredReading[] = [];
    for await (const page of upTo(limit + 1, pages)) readings.push(...page);
    yield `${table(READING_FIELDS, readings.slice(0, limit).map(readingCells), { width: widthOf(process.stdout) })}\n`;
    if (readings.length > limit)
      yield `${folded('there are more: --limit sets how many are shown, --format csv prints all', widthOf(process.stdout))}\n`;
  },
  async *csv(pages, limit) {
    yield csvLine(READING_FIELDS);
    for await (const page of upTo(limit, pages)) yield page.map((reading) => csvLine(readingCells(reading))).join('');
  },
  async *ndjson(pages, limit) {
    for await (const page of upTo(limit, pages)) {
      yield page.map((reading) => `${JSON.stringify(readingDocument(reading))}\n`).join('');
    }
  },
};

async function* upTo<T>(limit: number, pages: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
  let left = limit;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}
