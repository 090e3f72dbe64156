import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DAY, HOUR, formatInstant } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import { MAIN } from '../kit/joined-program.ts';
import { BEGIN, HISTORY, RANGE, archiveGround, keyOf, lineOf, linesIn, moveAll, write } from './archive-ground.ts';
import type { Point } from './archive-ground.ts';

const databases = useDatabases();

/** Names and values that CSV, JavaScript or Parquet could change on the way. */
const STRANGE: readonly Point[] = [
  { sensor: '"quoted", ü', value: 0.1 + 0.2 },
  { sensor: ' blanks ', value: 5e-324 },
  { sensor: '123', value: -1.7976931348623157e308 },
  { sensor: 'NULL', value: 1e21 },
  { sensor: '𝛼', value: 9007199254740991 },
].flatMap(({ sensor, value }, place) =>
  [BEGIN + place, BEGIN + DAY + 5 * HOUR + place].map((at) => ({
    sensor,
    at,
    value,
    precision: place,
    labels: place % 2 === 0 ? ['x', 'y "z", ü'] : [],
  })),
);

it('prints readings of rows and files as Parquet that any DuckDB opens with the right types, each reading exactly once', async () => {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(database, projectId, [...HISTORY, ...STRANGE]);
  await moveAll(database, BEGIN + DAY);
  // One reading that is new, and one that is another now, of the archived day.
  const late: Point[] = [
    { ...(STRANGE[0] as Point), at: BEGIN + 7 },
    { ...(HISTORY[3] as Point), value: -1, labels: ['revised'] },
  ];
  await write(database, projectId, late);
  const model = new Map([...HISTORY, ...STRANGE, ...late].map((one) => [keyOf(one), one]));
  const temporary = join(directory.path, 'temporary');
  await mkdir(temporary);
  const printed = (...more: string[]): Buffer => {
    const [from, to] = [RANGE.from, RANGE.to].map(formatInstant) as [string, string];
    const asked = ['readings', 'project', '--from', from, '--to', to, '--format', 'parquet', ...more];
    const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, ...asked], {
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        DATABRIDGE_HOME: directory.path,
        DATABRIDGE_ARCHIVE: directory.path,
        TMPDIR: temporary,
      },
    });
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const duck = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const path = join(directory.path, 'printed');
  const linesOf = async (content: Buffer): Promise<string[]> => {
    await writeFile(path, content);
    const found = await duck.runAndReadAll(
      `select sensor_id, epoch_us(time)::double, value, precision, coalesce(to_json(labels)::varchar, '[]') from read_parquet('${path}')`,
    );
    return found.getRows().map(([sensor, at, value, precision, labels]) =>
      lineOf({
        sensor: String(sensor),
        at: Number(at),
        value: Number(value),
        precision: precision === null ? undefined : Number(precision),
        labels: JSON.parse(String(labels)) as string[],
      }),
    );
  };
  expect(await linesOf(printed())).toEqual(linesIn(model));
  const types = await duck.runAndReadAll(
    `select column_name, column_type from (describe from read_parquet('${path}'))`,
  );
  expect(types.getRows()).toEqual([
    ['sensor_id', 'VARCHAR'],
    ['value_name', 'VARCHAR'],
    ['time', 'TIMESTAMP WITH TIME ZONE'],
    ['value', 'DOUBLE'],
    ['precision', 'SMALLINT'],
    ['labels', 'VARCHAR[]'],
  ]);
  expect(await linesOf(printed('--limit', '7'))).toEqual(linesIn(model).slice(0, 7));
  expect(await linesOf(printed('--sensor', 'nobody'))).toEqual([]);
  expect(await readdir(temporary)).toEqual([]);
  duck.closeSync();
  await directory.remove();
});
