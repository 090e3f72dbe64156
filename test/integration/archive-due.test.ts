import { spawnSync } from 'node:child_process';
import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { archiveDue } from '../../src/archive/due.ts';
import type { DueDay } from '../../src/archive/due.ts';
import { listDays, sweep } from '../../src/archive/keep.ts';
import { DAY, formatInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { LOCKS } from '../../src/database/locks.ts';
import { useDatabases } from '../kit/databases.ts';
import { MAIN } from '../kit/joined-program.ts';
import { eventually } from './daemon-rig.ts';
import { BEGIN, HISTORY, archiveGround, killedMover, moveAll, placesOf, write } from './archive-ground.ts';
import type { Point } from './archive-ground.ts';

const databases = useDatabases();

/** So many days at the front fail, more than a run bears in a row. */
const FAILING = 22;
const ALL = 24;

const pointOn = (day: number, microsecond: number): Point => ({
  sensor: 'a',
  at: BEGIN + day * DAY + microsecond,
  value: day,
  precision: undefined,
  labels: [],
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, place) => from + place);

/** A run of a daemon: the days that it moved or merged, by their number, and how it ended. */
async function run(database: Database, failed: Map<string, DueDay>) {
  const moved: number[] = [];
  const clock = { now: () => BEGIN + (ALL + 1) * DAY, disagreement: () => undefined };
  try {
    for await (const { day } of archiveDue(database, clock, { signal: new AbortController().signal, failed }))
      moved.push((day - BEGIN) / DAY);
    return { moved, fault: undefined };
  } catch (error) {
    return { moved, fault: (error as Error).message };
  }
}

it('moves days behind others that fail, also behind more than a run bears, and sweeps all the same', async () => {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(
    database,
    projectId,
    range(0, ALL + 1).map((day) => pointOn(day, 0)),
  );
  await moveAll(database, BEGIN + FAILING * DAY);
  // Late readings of days whose files are away for a while.
  await write(
    database,
    projectId,
    range(0, FAILING).map((day) => pointOn(day, 1)),
  );
  const paths = (await listDays(database)).map(({ path }) => join(directory.path, path));
  for (const path of paths) await rename(path, `${path}.away`);
  const work = join(directory.path, '.work');
  const unfinished = join(work, '00000000-0000-4000-8000-000000000000.part');
  await mkdir(work, { recursive: true });
  await writeFile(unfinished, '');
  await utimes(unfinished, 1, 1);

  const failed = new Map<string, DueDay>();
  const firstFails = expect.stringContaining(`day ${formatInstant(BEGIN).slice(0, 10)} has no file`) as unknown;
  expect(await run(database, failed)).toEqual({ moved: [], fault: firstFails });
  expect(await readdir(work)).not.toContain('00000000-0000-4000-8000-000000000000.part');
  const second = await run(database, failed);
  expect(second).toMatchObject({
    moved: range(FAILING, ALL),
    fault: expect.stringContaining('has no file') as unknown,
  });
  for (const path of paths) await rename(`${path}.away`, path);
  const { moved, fault } = await run(database, failed);
  expect({ moved: moved.toSorted((one, other) => one - other), fault }).toEqual({
    moved: range(0, FAILING),
    fault: undefined,
  });
  expect(await run(database, failed)).toEqual({ moved: [], fault: undefined });
  expect(failed.size).toBe(0);
  await directory.remove();
});

it('bears any number of days that fail between others', async () => {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(
    database,
    projectId,
    range(0, 51).map((day) => pointOn(day, 0)),
  );
  await moveAll(database, BEGIN + 50 * DAY);
  await write(
    database,
    projectId,
    range(0, 50).map((day) => pointOn(day, 1)),
  );
  const days = await listDays(database);
  for (const [place, { path }] of days.entries())
    if (place % 2 === 0) await rename(join(directory.path, path), join(directory.path, `${path}.away`));
  await expect(moveAll(database, BEGIN + 50 * DAY)).rejects.toThrow('has no file');
  const merged = await database.rows<{ day: number }>(
    `select (instant_of(day::timestamp at time zone 'UTC') - $1) / ${DAY} as day from archived_day where replaced_at is null and readings = 2 order by 1`,
    [BEGIN],
  );
  expect(merged.map(({ day }) => Number(day))).toEqual(range(0, 25).map((one) => one * 2 + 1));
  await directory.remove();
});

it('moves nothing while the clocks of the host and the database disagree, also where they begin to meanwhile', async () => {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(
    database,
    projectId,
    range(0, 4).map((day) => pointOn(day, 0)),
  );
  let ahead: number | undefined = DAY;
  const clock = { now: () => BEGIN + 10 * DAY, disagreement: () => ahead };
  const moves = async (): Promise<number> => {
    let count = 0;
    const how = { signal: new AbortController().signal, failed: new Map<string, DueDay>() };
    for await (const { moved } of archiveDue(database, clock, how)) {
      expect(moved.outcome).toBe('moved');
      count += 1;
      ahead = DAY;
    }
    return count;
  };
  expect(await moves()).toBe(0);
  ahead = undefined;
  expect(await moves()).toBe(1);
  expect(await listDays(database)).toHaveLength(1);
  await directory.remove();
});

it('tells a fault of the sweep also where another process moves the day', async () => {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(
    database,
    projectId,
    range(0, 2).map((day) => pointOn(day, 0)),
  );
  const other = await database.dedicated();
  await other.query('select pg_advisory_lock($1, hashtext($2))', [LOCKS.archive, `${projectId} ${BEGIN}`]);
  const unswept: Database = {
    ...database,
    rows: (text, values) =>
      text.includes('distinct on (path)') ? Promise.reject(new Error('no sweep')) : database.rows(text, values),
  };
  expect(await run(unswept, new Map())).toEqual({ moved: [], fault: 'no sweep' });
  await other.end();
  await directory.remove();
});

it('refuses archive run and project trim on a host whose clock disagrees with that of the database', async () => {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(
    database,
    projectId,
    range(0, 2).map((day) => pointOn(day, 0)),
  );
  // The clock of the host is set ahead by an hour, the even one and the database's are not.
  const ahead = join(directory.path, 'ahead.mjs');
  await writeFile(ahead, 'const now = Date.now; Date.now = () => now() + 3_600_000;');
  const { status, stderr } = spawnSync(process.execPath, ['--import', ahead, MAIN, 'archive', 'run'], {
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      DATABRIDGE_HOME: directory.path,
      DATABRIDGE_ARCHIVE: join(directory.path, 'archive'),
    },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('1h apart') as unknown });
  expect(await listDays(database)).toEqual([]);
  const trim = spawnSync(process.execPath, ['--import', ahead, MAIN, 'project', 'trim'], {
    env: { ...process.env, DATABASE_URL: database.url, DATABRIDGE_HOME: directory.path },
    encoding: 'utf8',
  });
  expect(trim).toMatchObject({ status: 2, stderr: expect.stringContaining('removes nothing') as unknown });
  await directory.remove();
});

it('shows other programs each reading once after a merge whose process was killed behind its commit', async () => {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(database, projectId, HISTORY);
  await moveAll(database);
  await write(database, projectId, [{ ...pointOn(0, 7), sensor: 'a' }]);
  expect(await killedMover(database, { projectId, step: 'committed' })).toMatchObject({
    signal: 'SIGKILL',
    stderr: '',
  });
  expect(await placesOf(database, directory.path)).toEqual({ rows: 4, archived: 97, found: 96 + 97 });
  // PostgreSQL takes a moment to see that the killed process is gone.
  await eventually('the replaced file has its ending', async () => {
    await sweep(database);
    return (await placesOf(database, directory.path)).found !== 96 + 97;
  });
  expect(await placesOf(database, directory.path)).toEqual({ rows: 4, archived: 97, found: 97 });
  await directory.remove();
});
