import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import { parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { intakeOf } from '../../src/ingest/pushed-intake.ts';
import { judgePushed } from '../../src/ingest/pushed-readings.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { dropOldLogs } from '../../src/upkeep/housekeeping.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { PATH, pushAs, startApi } from './api-rig.ts';
import type { ApiUnderTest, Answered, Client } from './api-rig.ts';
import { databridgeHere } from './command-line.ts';

const databases = useDatabases();
let api: ApiUnderTest;
let database: Database;
let other: Client;

beforeAll(async () => {
  api = await startApi(databases);
  ({ database } = api);
  await createProject(database, { organisation: 'default', code: 'press' }, 'test');
  other = await api.application('other');
});

afterAll(async () => {
  await api.close();
});

beforeEach(async () => {
  await database.run('truncate reading, refusal, refusal_count');
});

const DATE = '2026-11-20T08:15:30Z';
const good = { sensorId: 'pump-7', date: DATE, value: 4.25 };
const PRESS = PATH.replace(/hall$/, 'press');

const refusedOf = ({ json }: Answered): { reason: string }[] => (json as { refused: { reason: string }[] }).refused;

const counts = (): Promise<Record<string, unknown>[]> =>
  database.rows(
    `select application.name as client, code, reason, sum(refused)::int as refused from refusal_count
     join application on application.id = application_id join ml_project on ml_project.id = project_id
     group by 1, 2, 3 order by 1, 2, 3`,
  );

/** A body of `size` elements; `seed` chooses what is wrong in each of them. */
const bodyOf = (seed: number, size: number): unknown[] =>
  Array.from({ length: size }, (_, index) => {
    const reading = { ...good, sensorId: `s${seed}`, date: `2026-11-20T08:15:${10 + (index % 40)}Z`, value: index };
    const wrong: unknown[] = [
      reading,
      { ...reading, value: `${index}` },
      { ...reading, value: null },
      { ...reading, date: 'yesterday' },
      { ...reading, valuename: 'x' },
      [reading],
    ];
    return wrong[(seed * 7 + index * 5) % wrong.length];
  });

describe('refused readings of pushes', () => {
  it('are counted exactly as each client was told, by application, project and reason, whatever comes together', async () => {
    const told = new Map<string, number>();
    const clients: [name: string, client: Client][] = [
      ['client', api.client],
      ['other', other],
    ];
    await Promise.all(
      Array.from({ length: 24 }, async (_, seed) => {
        const [name, client] = clients[seed % 2] as [string, Client];
        const [code, path] = seed % 3 === 0 ? ['press', PRESS] : ['hall', PATH];
        const answer = await pushAs(client, `${api.url}${path}`, bodyOf(seed, 1 + seed * 3));
        for (const { reason } of refusedOf(answer)) {
          const key = `${name} ${code} ${reason}`;
          told.set(key, (told.get(key) ?? 0) + 1);
        }
      }),
    );
    expect((await counts()).map((row) => [`${row['client']} ${row['code']} ${row['reason']}`, row['refused']])).toEqual(
      [...told].toSorted(([one], [two]) => (one < two ? -1 : 1)),
    );
    expect(new Set([...told.keys()].map((key) => key.split(' ')[2])).size).toBe(5);
  });

  it('are kept with names, date and value, also where all of a body is refused', async () => {
    const answer = await api.push([
      { ...good, value: '4.25' },
      { ...good, sensorId: 7 },
      { ...good, date: '2026-11-20' },
      { ...good, valuename: 'axis_x' },
      'text',
    ]);
    expect(answer.status).toBe(422);
    const rows = await database.rows(
      'select reason, sensor, variable, instant_of(at) as at, raw from refusal order by id',
    );
    const at = parseInstant(DATE);
    expect(rows.toSorted((one, two) => (String(one['reason']) < String(two['reason']) ? -1 : 1))).toEqual([
      { reason: 'bad-sensor-id', sensor: '7', variable: 'none', at, raw: '7' },
      { reason: 'date-without-time', sensor: 'pump-7', variable: 'none', at: null, raw: '"2026-11-20"' },
      { reason: 'misspelt-field', sensor: 'pump-7', variable: 'none', at, raw: 'valuename: "axis_x"' },
      { reason: 'not-an-object', sensor: '', variable: '', at: null, raw: '"text"' },
      { reason: 'text-number', sensor: 'pump-7', variable: 'none', at, raw: '"4.25"' },
    ]);
  });

  it('are kept once where they are sent again, and up to a limit for each reason and hour', async () => {
    const bad = (from: number, count: number): unknown[] =>
      Array.from({ length: count }, (_, index) => ({ ...good, sensorId: `s${from + index}`, value: null }));
    const hours = (): Promise<{ refused: number; kept: number }[]> =>
      database.rows('select refused::int as refused, kept from refusal_count order by hour');
    const sums = (): Promise<Record<string, unknown> | undefined> =>
      database.row(
        `select sum(refused)::int as refused, sum(kept)::int as kept, (select count(*)::int from refusal) as rows from refusal_count`,
      );
    await api.push(bad(0, 500));
    await api.push(bad(0, 500));
    // Of a body at most twenty examples are kept for each reason.
    expect(await sums()).toEqual({ refused: 1_000, kept: 20, rows: 20 });
    await database.run('truncate refusal, refusal_count');
    // A full hour may strike between two pushes, so they go on until one hour has more than the limit.
    for (let body = 1; ((await hours()).at(-1)?.refused ?? 0) < 1_040; body += 1) await api.push(bad(20 * body, 20));
    const found = await hours();
    expect(found.map(({ kept }) => kept)).toEqual(found.map(({ refused }) => Math.min(refused, 1_000)));
    expect((await sums())?.['rows']).toBe(found.reduce((sum, { kept }) => sum + kept, 0));
  });

  it('are kept with each of several values for one instant, and each once', async () => {
    const body = [1, 2, 3, 4, 5].map((value) => ({ ...good, value }));
    const kept = (): Promise<unknown> =>
      database.rows('select reason, array_agg(raw order by raw) as raw from refusal group by 1 order by 1');
    await api.push(body);
    await api.push(body);
    expect(await kept()).toEqual([{ reason: 'same-instant', raw: ['1', '2', '3', '4'] }]);
    const undated = ['today', 'yesterday', 'today'].map((date) => ({ ...good, date }));
    await api.push(undated);
    expect(await kept()).toEqual([
      { reason: 'bad-instant', raw: ['"today"', '"yesterday"'] },
      { reason: 'same-instant', raw: ['1', '2', '3', '4'] },
    ]);
    expect(await counts()).toMatchObject([{ refused: 3 }, { refused: 8 }]);
    const row = await database.row('select sum(kept)::int as kept from refusal_count');
    expect(row).toEqual({ kept: 6 });
  });

  it('may hold any text', async () => {
    const texts = ['nul \0', 'half \ud83d', `long ${'ü'.repeat(10_000)}`];
    const answer = await api.push(
      texts.flatMap((text) => [
        { ...good, sensorId: text, value: text },
        { ...good, valueName: text },
        { ...good, labels: [text] },
        text,
      ]),
    );
    expect(answer).toMatchObject({ status: 422, json: { refusedCount: 12 } });
    expect(await database.rows('select reason, count(*)::int as n from refusal group by 1 order by 1')).toEqual([
      { reason: 'bad-label', n: 3 },
      { reason: 'bad-sensor-id', n: 3 },
      { reason: 'bad-value-name', n: 3 },
      { reason: 'not-an-object', n: 3 },
    ]);
  });

  it('are listed by a command, and leave with the other logs', async () => {
    await api.push([{ ...good, value: 5 }, good, { ...good, value: 'off' }]);
    const run = (...args: string[]): ReturnType<typeof databridgeHere> =>
      databridgeHere(args, {
        env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
      });
    const { applicationId } = api.client;
    const shown = JSON.parse((await run('application', 'refusals', applicationId, '--json')).stdout) as {
      reasons: unknown[];
      series: unknown[];
    };
    expect(shown.reasons).toMatchObject([
      {
        reason: 'not-a-number',
        refused: 1,
        series: 1,
        first: DATE,
        remedy: 'Send a JSON number as value; text cannot be a reading.',
      },
      { reason: 'same-instant', refused: 1, series: 1, first: DATE },
    ]);
    const reading = { project: 'hall', sensor: 'pump-7', variable: 'none', refused: 1, first: DATE, last: DATE };
    expect(shown.series).toMatchObject([
      { ...reading, reason: 'not-a-number', examples: [{ at: DATE, raw: '"off"' }] },
      { ...reading, reason: 'same-instant', examples: [{ at: DATE, raw: '5' }] },
    ]);
    const { stdout } = await run('application', 'refusals', applicationId, '--reason', 'same-instant');
    expect(stdout).toMatch(
      /^same-instant: 1 reading of 1 variable\n {2}A later[^]*\n {2}try: Send one[^]*\nkept +first +last +project +sensor +variable +value\n.*\n +1 +2026-11-20 08:15:30 +2026-11-20 08:15:30 +hall +pump-7 +none +5\n$/,
    );
    const narrowed = await run('application', 'refusals', applicationId, '--sensor', 'pump-8', '--from', '2026-11-20');
    expect(narrowed.stdout).toBe('nothing is refused\n');
    expect((await run('application', 'refusals', other.applicationId)).stdout).toBe('nothing is refused\n');
    expect(await run('application', 'refusals', 'app_00000000000000000000')).toMatchObject({ code: 2 });
    expect((await run('application', 'list')).stdout).toMatch(/ client +all +\S+ +\S+ +2 +active$/m);
    // They are no refusals of another service.
    expect((await run('ingestion', 'refusals', 'hall')).stdout).toBe('the other service refused nothing\n');
    await database.run(`update refusal_count set hour = hour - interval '40 days'`);
    await database.run(`update refusal set noted_at = noted_at - interval '40 days'`);
    await dropOldLogs(database, 30);
    expect((await run('application', 'refusals', applicationId)).stdout).toBe('nothing is refused\n');
  });
});

describe('a push', () => {
  const now = parseInstant('2026-11-20T09:00:00Z') ?? NaN;

  it('without refusals needs no statement for them', async () => {
    let statements = 0;
    const counted: Database = {
      ...database,
      run(...given) {
        if (given[0].includes('refusal')) statements += 1;
        return database.run(...given);
      },
    };
    const intake = intakeOf({
      database: counted,
      prepareReadings: readingPreparer(database),
      waitMs: 60_000,
      now: () => Date.now() * 1000,
    });
    const project = await database.row<{ id: number }>(`select id from ml_project where code = 'hall'`);
    const push = (body: unknown[]): Promise<unknown> =>
      intake.push(api.client.applicationId, project?.id ?? 0, judgePushed(body, { now }));
    await push([good, { ...good, sensorId: 'b', unit: 'mm' }, good]);
    expect(statements).toBe(0);
    await push([{ ...good, value: null }]);
    expect(statements).toBe(1);
  });
});
