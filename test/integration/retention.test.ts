import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sweep } from '../../src/archive/keep.ts';
import { targetsOf } from '../../src/api/targets.ts';
import { DAY, HOUR, formatInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { oldReadings, trimProjects } from '../../src/upkeep/retention.ts';
import type { Trimmed } from '../../src/upkeep/retention.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { reportCoverage } from '../../src/source/coverage-report.ts';
import { setKeep } from '../../src/source/project-keep.ts';
import { traceOf } from '../../src/source/trace.ts';
import { useDatabases } from '../kit/databases.ts';
import {
  BEGIN,
  DAYS,
  HISTORY,
  HISTORY_BY_KEY,
  RANGE,
  archiveGround,
  linesIn,
  linesOf,
  moveAll,
  write,
} from './archive-ground.ts';
import type { Point } from './archive-ground.ts';
import { PROJECT, from, holds, keepFrom, leftBefore, trim } from './retention-ground.ts';

const databases = useDatabases();
const ground = () => archiveGround(databases);

it('counts what would go, and takes it in steps', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  await moveAll(database, BEGIN + DAY);
  await write(database, projectId, [{ ...(HISTORY[0] as Point), at: BEGIN + 5 }]);
  const old = { days: 2, rows: 5, archivedReadings: 96, archivedBytes: expect.any(Number) as unknown };
  await keepFrom(database, BEGIN + 2 * DAY);
  expect(await oldReadings(database, projectId)).toEqual({ bound: BEGIN + 2 * DAY, ...old });
  expect(await oldReadings(database, projectId, null)).toMatchObject({ bound: null, days: 0, rows: 0 });
  const steps: Trimmed[] = [];
  for await (const one of trimProjects(database)) steps.push(one);
  expect(steps).toMatchObject([
    { outcome: 'bound', bound: BEGIN + 2 * DAY, archivedDays: 1, archivedReadings: 96 },
    { outcome: 'removed', day: BEGIN, readings: 1 },
    { outcome: 'removed', day: BEGIN + DAY, readings: 4 },
  ]);
  expect(await oldReadings(database, projectId)).toMatchObject({ days: 0, rows: 0, archivedReadings: 0 });
  await directory.remove();
});

it('removes nothing of a project on hold, neither rows nor files that were replaced', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  await moveAll(database);
  const [day] = await database.rows<{ path: string }>('select path from archived_day');
  const path = join(directory.path, day?.path ?? '');
  await keepFrom(database, BEGIN + DAY);
  await holds(database, 'inquiry');
  expect(await trim(database)).toEqual(['held']);
  expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
  await holds(database, undefined);
  expect(await trim(database)).toEqual(['bound']);
  await sweep(database);
  // Present to backups, and out of reach of other programs.
  expect([existsSync(path), existsSync(`${path}.replaced`)]).toEqual([false, true]);
  await database.run(`update archived_day set replaced_at = now() - interval '31 days'`);
  await holds(database, 'another inquiry');
  await sweep(database);
  expect(existsSync(`${path}.replaced`)).toBe(true);
  await holds(database, undefined);
  await sweep(database);
  expect(existsSync(`${path}.replaced`)).toBe(false);
  expect(await database.rows('select from archived_day')).toEqual([]);
  expect(
    (await database.rows<{ action: string }>(`select action from audit order by id`)).map(({ action }) => action),
  ).toEqual(['project.keep', 'project.held', 'project.hold-ended', 'project.held', 'project.hold-ended']);
  await directory.remove();
});

it('looks for rows where the bound rose, and for those that came late some hours later', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  const bound = BEGIN + DAY;
  await keepFrom(database, bound);
  const often = async (): Promise<Trimmed['outcome'][]> => {
    const outcomes: Trimmed['outcome'][] = [];
    for await (const { outcome } of trimProjects(database, { often: true })) outcomes.push(outcome);
    return outcomes;
  };
  expect(await often()).toEqual(['bound', 'removed']);
  // As of a window that was being read when the bound rose.
  await write(database, projectId, HISTORY.slice(0, 3));
  expect(await often()).toEqual(['bound']);
  expect(await linesOf(database, projectId)).toEqual(linesIn(from(HISTORY_BY_KEY, bound)));
  await database.run(`update ml_project set trim_at = trim_at - interval '6 hours'`);
  expect(await often()).toEqual(['bound', 'removed']);
  expect(await leftBefore(database, bound)).toEqual({ rows: 0, files: 0 });
  await directory.remove();
});

it('counts the kept length from the newest reading, so that a wrong clock removes nothing, nor does a plant that fell silent', async () => {
  const { database, projectId, directory } = await ground();
  await setKeep(database, PROJECT, { keep: '35d', dryRun: false, actor: 'test' });
  expect(await trim(database)).toEqual(['empty']);
  // By the clock all of it is months old.
  await write(database, projectId, HISTORY);
  const newest = BEGIN + DAY;
  const boundAfter = async (more: Point['at'] | undefined): Promise<unknown> => {
    if (more !== undefined) await write(database, projectId, [{ ...(HISTORY[0] as Point), at: more }]);
    const { bound } = await oldReadings(database, projectId);
    expect(await trim(database)).toContain('bound');
    expect(await database.row('select instant_of(kept_from) as bound from ml_project')).toEqual({ bound });
    return bound;
  };
  expect(await boundAfter(undefined)).toBe(newest - 35 * DAY);
  expect(await boundAfter(newest + DAY - 1)).toBe(newest - 35 * DAY);
  expect(await boundAfter(newest + DAY)).toBe(newest - 34 * DAY);
  expect(await boundAfter(newest + 40 * DAY)).toBe(newest + 5 * DAY);
  // A reading of tomorrow, from a sensor whose clock is ahead, is as one of before.
  expect(await boundAfter((Date.now() + 86_400_000) * 1000)).toBe(newest + 5 * DAY);
  await directory.remove();
});

it('removes the readings of a project behind one that fails, and tells the fault at the end', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  await keepFrom(database, BEGIN + DAY);
  await database.run(
    `insert into ml_project (organisation_id, code, name, keep) values ('default', 'failing', '', '90d')`,
  );
  const outcomes: Trimmed['outcome'][] = [];
  const failing: Database = {
    ...database,
    async rows(text, values) {
      const rows = await database.rows<Record<string, unknown>>(text, values);
      return (text.includes('from ml_project') ? rows.toReversed() : rows) as never;
    },
    async dedicated() {
      if (outcomes.length === 0 && !failed.has('first')) {
        failed.add('first');
        throw new Error('the first one fails');
      }
      return await database.dedicated();
    },
  };
  const failed = new Set<string>();
  const run = async (): Promise<void> => {
    for await (const { outcome } of trimProjects(failing)) outcomes.push(outcome);
  };
  await expect(run()).rejects.toThrow('the first one fails');
  expect(outcomes).toEqual(['bound', 'removed']);
  await directory.remove();
});

it('waits with a hold for the statement that removes, and lets none follow', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  await keepFrom(database, BEGIN + 2 * DAY);
  const outcomes: Trimmed['outcome'][] = [];
  for await (const one of trimProjects(database)) {
    outcomes.push(one.outcome);
    if (one.outcome === 'removed') await holds(database, 'inquiry');
  }
  expect(outcomes).toEqual(['bound', 'removed', 'held']);
  // What was out of sight stays so, and stays there.
  expect(await leftBefore(database, BEGIN + 2 * DAY)).toEqual({ rows: 4, files: 0 });
  expect(await linesOf(database, projectId)).toEqual([]);
  await directory.remove();
});

it('asks for no time before the bound any more, and says so', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  const bound = BEGIN + DAY;
  const multirange = (...ranges: readonly (readonly [Instant, Instant])[]): string =>
    `{${ranges.map(([begin, end]) => `[${formatInstant(begin)},${formatInstant(end)})`).join(',')}}`;
  await database.run(`update source set start_at = at_instant($1), discovered_at = now()`, [BEGIN]);
  // An hour of the first day is missing, and one of the second.
  await database.run(
    `insert into stream (source_id, key, selection, sensors, covered, look_again)
     select id, 'all', '{}', '[{"id": "a"}]', $1::tstzmultirange, $2::tstzmultirange from source`,
    [
      multirange([BEGIN, BEGIN + HOUR], [BEGIN + 2 * HOUR, bound], [bound + HOUR, RANGE.to]),
      multirange([BEGIN, bound + 2 * HOUR]),
    ],
  );
  await database.run(
    `insert into series_name (source_id, holder, sensor_id, value_name) select id, '["a","value"]', 'a', 'value' from source`,
  );
  await database.run(
    `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault) select id, at_instant($1), at_instant($1 + 1), 1, now(), '{}' from stream`,
    [BEGIN + HOUR],
  );
  const source = { name: 'source', organisation: 'default' };
  const start = (begin: Instant, end: Instant) =>
    startBackfill(database, { source, from: begin, to: end, what: 'all', requestedBy: 'test' });
  await start(BEGIN, BEGIN + HOUR);
  await start(BEGIN, RANGE.to);
  await keepFrom(database, bound);
  await trim(database);
  expect(
    await database.rows(
      `select instant_of(from_at) as from, backfill.state, wanted::text from backfill join backfill_stream on backfill_id = backfill.id order by backfill.id`,
    ),
  ).toEqual([
    { from: BEGIN, state: 'done', wanted: '{}' },
    { from: bound, state: 'running', wanted: expect.stringMatching(/^\{\["2026-01-01/) as unknown },
  ]);
  const [stream] = await database.rows<{ start: Instant; look: string; covered: boolean }>(
    `select instant_of(start_at) as start, look_again::text as look, covered @> at_instant($1) as covered from stream join source on source.id = source_id`,
    [BEGIN],
  );
  expect(stream).toEqual({ start: bound, look: expect.stringMatching(/^\{\["2026-01-01/) as unknown, covered: true });
  expect(await database.rows('select from unreadable')).toEqual([]);
  await expect(start(BEGIN, BEGIN + HOUR)).rejects.toMatchObject({ code: 'config-invalid', fault: { path: 'from' } });
  await expect(start(BEGIN, RANGE.to)).rejects.toMatchObject({
    remedy: `give --from ${formatInstant(bound)} or later`,
  });
  const found = { id: 1, projectId, ...source };
  const report = await reportCoverage(database, found, { range: RANGE, cut: { exactly: DAYS * 2 }, mostStreams: 5 });
  expect(report).toMatchObject({
    keptFrom: bound,
    streams: [{ states: ['before-start', 'before-start', 'asking', 'empty', 'empty', 'empty'] }],
  });
  const told = await traceOf(database, found, { sensor: 'a', at: BEGIN });
  expect(told).toMatchObject({ fate: 'not-kept', readings: [], remedy: null });
  expect(await targetsOf(database).keptFrom(projectId)).toBe(bound);
  await directory.remove();
});

it('starts no backfill of time before a bound that rises between its check and its transaction', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  await database.run(`update source set start_at = at_instant($1), discovered_at = now()`, [BEGIN]);
  await keepFrom(database, BEGIN + DAY);
  const late: Database = {
    ...database,
    async transaction(work) {
      await trim(database);
      return await database.transaction(work);
    },
  };
  const source = { name: 'source', organisation: 'default' };
  await expect(
    startBackfill(late, { source, from: BEGIN, to: RANGE.to, what: 'all', requestedBy: 'test' }),
  ).rejects.toMatchObject({ code: 'config-invalid', fault: { path: 'from' } });
  expect(await database.rows('select from backfill')).toEqual([]);
  await directory.remove();
});

it('takes no length that is shorter than looks for late data reach', async () => {
  const { database, directory } = await ground();
  const set = (keep: string) => setKeep(database, PROJECT, { keep, dryRun: true, actor: 'test' });
  for (const keep of ['34d', '4w', '1mo', '3m', 'never', '0d'])
    await expect(set(keep)).rejects.toMatchObject({ code: 'config-invalid', fault: { path: 'keep' } });
  expect(await set('35d')).toMatchObject({ keep: '35d' });
  await database.run(`update source set config = '{"schedule": {"lookBackAtMost": "90d"}}'`);
  await expect(set('94d')).rejects.toThrow('source source looks for late data up to 90 days back');
  expect(await set('95d')).toMatchObject({ keep: '95d' });
  await database.run(`update source set config = '{"schedule": {"overlap": "100d"}}'`);
  await expect(set('104d')).rejects.toThrow('105 days');
  expect(await set('forever')).toMatchObject({ keep: null });
  await directory.remove();
});
