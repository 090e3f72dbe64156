import { expect, it } from 'vitest';
import type { Judgement } from '../../src/alerts/judgement.ts';
import { refusalFindings } from '../../src/alerts/source-findings.ts';
import { platforms } from '../../src/context-platforms.ts';
import { DAY, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { RefusalReason } from '../../src/core/reading.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { measuresOf } from '../../src/source/measures.ts';
import { listSources } from '../../src/source/report.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf, columnOf, storeSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { makeGround } from './commit-ground.ts';

// A source that gets points and stores no reading of them is not well, whatever the reason is; nor is one of which many points are refused.

const databases = useDatabases();

it('is failing while every point of a day was refused, and well with the first reading or when nothing refused stands', async () => {
  const { database, streamId, commit } = await makeGround(databases);
  const { now = 0 } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? {};
  await partitionsOf(database).ensure('reading', now - 3 * DAY, now);
  await partitionsOf(database).ensure('window_log', now - 3 * DAY, now);
  await database.run(`update source set config = '{"connection":{"url":"http://127.0.0.1:9"}}', platform = 'influxdb'`);
  await database.run('update work set well_at = now()');
  await database.run(
    'update stream set covered = tstzmultirange(tstzrange(now() - $2::interval, now())) where id = $1',
    [streamId, '1 minute'],
  );
  const from = now - 10 * MINUTE;
  const windowAt = (place: number) => ({ from: from + place * SECOND, to: from + (place + 1) * SECOND });
  /** One refused point at a second. */
  const refuse = (place: number, reason: RefusalReason, askedAt = now) => {
    const window = windowAt(place);
    const point = { sensor: 'pump', variable: 'state', at: window.from, raw: 'true', reason };
    return commit({ window, batch: batchOf([], [point]), askedAt });
  };
  /** The condition in the list, and as monitoring sees it: the two are one. */
  const seen = async (): Promise<string> => {
    const [line] = await listSources(database);
    const { sources } = await measuresOf(database, { platforms }, 60_000);
    if (line === undefined) throw new Error('there is no source');
    expect(sources.map(({ condition }) => condition)).toEqual([line.condition]);
    return `${line.condition} ${line.allRefused ?? '-'}`;
  };
  const run = async (...args: string[]): Promise<string> =>
    (
      await databridgeHere(args, {
        env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere', COLUMNS: '200' },
      })
    ).stdout;

  expect(await seen()).toBe('well -');
  // A point of more than a day ago is history.
  await refuse(0, 'null', now - 2 * DAY);
  expect(await seen()).toBe('well -');
  await refuse(1, 'boolean');
  expect(await seen()).toBe('failing boolean');
  expect(await run('source', 'list')).toContain('every point of 24h was refused: boolean');
  expect(JSON.parse(await run('source', 'list', '--json'))).toMatchObject([
    { condition: 'failing', allRefused: { reason: 'boolean', remedy: expect.stringContaining('mapping.booleans') } },
  ]);
  expect(await run('source', 'list', '--condition', 'well')).not.toMatch(/^source/m);
  expect(await run('source', 'why', 'source')).toMatch(
    /^source is failing.*\n\nevery point of 24h was refused: boolean\n +try: If they are meant as readings, set mapping\.booleans/m,
  );
  expect(await run('source', 'show', 'source')).toMatch(/every point of 24h was refused: boolean\n {2}try: /);
  expect(await run('doctor')).toContain('1 active source not well: source (failing)');

  // The same time is asked again, and the platform shows the point no more: nothing refused of this day stands.
  await commit({ window: windowAt(1), batch: batchOf([]), askedAt: now });
  await commit({ window: windowAt(0), batch: batchOf([]), askedAt: now });
  expect(await seen()).toBe('well -');
  // A reading that another service refuses is stored here.
  await database.run(
    `insert into refused_hour (stream_id, hour, sensor, variable, reason, points) values ($1, date_trunc('hour', now()), 'pump', 'flow', 'refused-there', '{1}')`,
    [streamId],
  );
  expect(await seen()).toBe('well -');
  await refuse(2, 'text-number');
  expect(await seen()).toBe('failing text-number');
  await commit({ window: windowAt(3), batch: batchOf([columnOf('pump', { at: [from + 3 * SECOND] })]), askedAt: now });
  expect(await seen()).toBe('well -');
  // A reading that is read once more is stored, too.
  await database.run('update window_sum set duplicates = readings');
  expect(await seen()).toBe('well -');
});

it('refusals are judged by the last hours, and an open alert of them goes on until half of the limits', async () => {
  const database = await databases.create();
  const sums: readonly (readonly [name: string, hoursAgo: number, readings: number, refused: number])[] = [
    ['fast', 1, 300, 40],
    ['slow', 3, 20, 6],
    ['slow', 20, 20, 6],
    ['half', 1, 290, 10],
    ['told', 1, 290, 10],
    ['old', 26, 0, 100],
  ];
  for (const name of new Set(sums.map(([first]) => first))) await storeSource(database, name);
  for (const [name, ...values] of sums)
    await database.run(
      `insert into window_sum (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late)
       select id, date_trunc('hour', now(), 'UTC') - $2 * interval '1 hour', 'live', 1, 0, 1, 0, $3, 0, 0, $4, 0 from source where name = $1`,
      [name, ...values],
    );
  await database.run(
    `insert into alert (kind, organisation, subject, severity, what, remedy, opened_at) values ('refusals', 'default', 'told', 'warning', '', '', now())`,
  );
  const told = await refusalFindings(database, 0.05);
  expect(told.map(({ subject, detail }) => `${subject} ${detail}`)).toEqual([
    'fast more than 10 % of its points are refused',
    'slow more than 20 % of its points are refused',
    'told more than 2 % of its points are refused',
  ]);
  expect(await refusalFindings(database, 0.05, { organisations: ['acme'] })).toEqual([]);
  // A source that is silent besides is told of its refusals at once.
  const [half] = await refusalFindings(database, 0.01);
  const unwell = [{ ...(half as Judgement), subject: 'half', kind: 'silent' as const }];
  const beside = await refusalFindings(database, 0.05, { unwell });
  expect(beside.map(({ subject }) => subject)).toContain('half');
});
