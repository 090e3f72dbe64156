import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileOfRows, mergedFile } from '../../src/archive/day-file.ts';
import type { DayContent } from '../../src/archive/day-file.ts';
import { connectDuck, workDirectory } from '../../src/archive/duck.ts';
import { formatInstant, parseInstant } from '../../src/core/instant.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';

const BEGIN = parseInstant('2025-12-31T00:00:00Z') ?? 0;

interface Row {
  readonly sensor: string;
  readonly name: string;
  /** Microseconds of the day. */
  readonly at: number;
  readonly value: number;
  readonly labels: readonly string[] | null;
}

const byKey = (one: Row, other: Row): number =>
  compared(one.sensor, other.sensor) || compared(one.name, other.name) || one.at - other.at;
/** By code points, as PostgreSQL and DuckDB compare. */
const compared = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
const keyOf = ({ sensor, name, at }: Row): string => JSON.stringify([sensor, name, at]);
const lineOf = (row: Row): string => `${keyOf(row)} ${row.value} ${JSON.stringify(row.labels)}`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Rows as PostgreSQL copies them out; `spare`: series besides theirs. */
async function copyOut(work: string, rows: readonly Row[], spare: readonly string[] = []): Promise<void> {
  const series = [...new Map(rows.map((row) => [JSON.stringify([row.sensor, row.name]), row])).keys()];
  const names = series.map((text, place) => {
    const [sensor = '', name = ''] = JSON.parse(text) as string[];
    return `${place},${quoted(sensor)},${quoted(name)}\n`;
  });
  const more = spare.map((name, place) => `${series.length + place},${quoted(name)},"v"\n`);
  const lines = rows.map(({ sensor, name, at, value, labels }) => {
    const time = formatInstant(BEGIN + at)
      .replace('T', ' ')
      .replace('Z', '');
    const set = labels === null ? '' : quoted(JSON.stringify(labels));
    return `${series.indexOf(JSON.stringify([sensor, name]))},${time},${value},,${set}\n`;
  });
  await writeFile(`${work}.series.csv`, [...names, ...more].join(''));
  await writeFile(`${work}.csv`, lines.join(''));
}

/** The readings of a file as they lie in it, read by a DuckDB that knows nothing of the bridge. */
async function linesIn(path: string): Promise<string[]> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const duck = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const found = await duck.runAndReadAll(
    `select sensor_id, value_name, epoch_us(time)::double, value, to_json(labels)::varchar from read_parquet('${path}')`,
  );
  duck.closeSync();
  return found.getRows().map(([sensor, name, at, value, labels]) =>
    lineOf({
      sensor: String(sensor),
      name: String(name),
      at: Number(at) - BEGIN,
      value: Number(value),
      labels: labels === null ? null : (JSON.parse(String(labels)) as string[]),
    }),
  );
}

const truthOf = (rows: readonly Row[]): { lines: string[]; content: DayContent | undefined } => {
  const sorted = [...new Map(rows.map((row) => [keyOf(row), row])).values()].toSorted(byKey);
  const at = sorted.map((row) => BEGIN + row.at);
  const series = new Set(sorted.map(({ sensor, name }) => JSON.stringify([sensor, name]))).size;
  const content = { readings: sorted.length, series, firstAt: Math.min(...at), lastAt: Math.max(...at) };
  return { lines: sorted.map(lineOf), content: sorted.length === 0 ? undefined : content };
};

const row: fc.Arbitrary<Row> = fc.record({
  sensor: fc.constantFrom('a', "it's", 'b "quoted", ü', 'two\nlines', '𝛼', '\uFFFD'),
  name: fc.constantFrom('v', 'w'),
  at: fc.integer({ min: 0, max: 12 }),
  value: fc.constantFrom(0, 1, -1.5e-7, 0.1 + 0.2),
  labels: fc.constantFrom<readonly string[] | null>(null, ['x'], ['x', 'y "z", ü']),
});
const rowsOf = fc
  .uniqueArray(row, { selector: keyOf, minLength: 1, maxLength: 60 })
  .map((rows) => rows.toSorted(byKey));

it('merges two files in parts of any length, so that each reading is in the new one once, in order, and the later one wins', async () => {
  const directory = await makeTempDirectory('archive-file');
  const duck = await connectDuck(directory.path);
  const work = join(workDirectory(directory.path), 'one');
  await fc.assert(
    fc.asyncProperty(rowsOf, rowsOf, fc.integer({ min: 1, max: 30 }), async (old, late, sorted) => {
      const [former, rows, to] = [`${work}.former`, `${work}.rows`, `${work}.part`];
      await copyOut(work, old);
      expect(await fileOfRows(duck, work, former)).toEqual(truthOf(old).content);
      expect(await linesIn(former)).toEqual(truthOf(old).lines);
      await copyOut(work, late);
      expect(await fileOfRows(duck, work, rows)).toEqual(truthOf(late).content);
      const { lines, content } = truthOf([...old, ...late]);
      expect(await mergedFile(duck, { rows, former, work, to }, sorted)).toEqual(content);
      expect(await linesIn(to)).toEqual(lines);
    }),
    { numRuns: 25 },
  );
  duck.closeSync();
  await directory.remove();
});

it('keeps the order of rows where a day has more series than rows, and refuses rows in another order', async () => {
  const directory = await makeTempDirectory('archive-file');
  const duck = await connectDuck(directory.path);
  const work = join(workDirectory(directory.path), 'one');
  const rows = ['a', 'b'].flatMap((sensor) =>
    Array.from({ length: 3_000 }, (_, at) => ({ sensor, name: 'v', at, value: at, labels: null })),
  );
  const spare = Array.from({ length: 100_000 }, (_, number) => `c${String(number).padStart(6, '0')}`);
  await copyOut(work, rows, spare);
  expect(await fileOfRows(duck, work, `${work}.part`)).toEqual(truthOf(rows).content);
  expect(await linesIn(`${work}.part`)).toEqual(truthOf(rows).lines);
  for (const wrong of [rows.toReversed(), [...rows, ...rows.slice(-1)]]) {
    await copyOut(work, wrong);
    await expect(fileOfRows(duck, work, `${work}.part`)).rejects.toThrow('not in their order');
  }
  await copyOut(work, []);
  expect(await fileOfRows(duck, work, `${work}.part`)).toBeUndefined();
  duck.closeSync();
  await directory.remove();
});
