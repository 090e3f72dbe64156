import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/core/duration.ts';
import { DAY, HOUR, MINUTE, SECOND, formatInstant } from '../../src/core/instant.ts';
import { LOOK_BACK_AT_MOST } from '../../src/core/look-back.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { useDatabases } from '../kit/databases.ts';
import { databridgeHere } from './command-line.ts';
import { startOperatorApi } from './operator-rig.ts';
import { startPullRig } from './pull-rig.ts';
import type { PullRig } from './pull-rig.ts';

// What operators read about late data, about points that came more than once and about points that nobody asked for: on the
// screen, as JSON and from the operator API.

const databases = useDatabases();

const BEGIN = Math.floor(Date.now() / 3_600_000) * HOUR - 20 * DAY;
const OVERLAP = 10 * MINUTE;
const CUT = { from: BEGIN + 2 * HOUR, to: BEGIN + 3 * HOUR };

let rig: PullRig;
let signedIn = 0;

/** The points of the cut, a minute apart, are uploaded `late` after its end. Without `bound` looks end at the default. */
async function startWith({ late, bound }: { late: number; bound?: string }): Promise<void> {
  rig = await startPullRig(databases, {
    begin: BEGIN,
    policy: { start: BEGIN, settle: 0, align: SECOND, overlap: OVERLAP, maxWindow: DAY },
    lookBackAtMost: parseDuration(bound ?? LOOK_BACK_AT_MOST) ?? 0,
    truth: {
      // Between the instants of polls, so that a point is clearly older or younger than the bound.
      first: BEGIN + 30 * SECOND,
      every: MINUTE,
      latenessOf: (at) => (at >= CUT.from && at < CUT.to ? CUT.to + late - at : 0),
    },
  });
  await rig.database.run('update source set config = $1', [
    JSON.stringify({ name: 'source', schedule: { lookBackAtMost: bound } }),
  ]);
}

async function printed(...args: readonly string[]): Promise<string> {
  const env = { DATABASE_URL: rig.database.url, DATABRIDGE_KEY: 'A'.repeat(43), DATABRIDGE_HOME: '/nowhere' };
  const { code, stdout, stderr } = await databridgeHere(args, { env });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const shown = (): Promise<string> => printed('source', 'show', 'source');

interface Shown {
  readonly streams: readonly unknown[];
}

/** Time goes on between two answers. */
function withoutLag(document: unknown): Shown {
  const { lagSeconds, overdueSeconds, newestAgeSeconds, ...rest } = document as Shown & Record<string, unknown>;
  expect(newestAgeSeconds).toBeDefined();
  expect(Number(lagSeconds) >= Number(overdueSeconds)).toBe(true);
  return rest;
}

/** The source as JSON, which is the same from the command and from the operator API. */
async function asJson(): Promise<Shown> {
  const ofCommand = withoutLag(JSON.parse(await printed('source', 'show', 'source', '--json')));
  const api = await startOperatorApi(rig.database);
  try {
    const anna = await api.operator(`anna-${(signedIn += 1)}`, 'viewer', ['default']);
    const { json } = await api.send('GET', '/api/v1/sources/default/source', { as: anna });
    // The API has cursors besides.
    expect(withoutLag(json)).toMatchObject(ofCommand);
  } finally {
    await api.close();
  }
  return ofCommand;
}

const streamAsJson = async (): Promise<unknown> => (await asJson()).streams[0];

describe('late data', () => {
  it('that was all found is told with its age alone', async () => {
    await startWith({ late: 5 * MINUTE });
    await rig.pass(CUT.to - BEGIN, 10 * MINUTE);
    await rig.pass(20 * MINUTE);
    expect((await rig.difference()).missing).toEqual([]);
    const text = await shown();
    expect(text).toMatch(/^ {2}late data: found up to 1h\d*m? after its instant$/m);
    expect(text).not.toContain('schedule.lookBackAtMost');
    expect(await streamAsJson()).toMatchObject({ newsBeyond: 0, mayMissLateData: false });
  });

  it('that reaches to the bound of the looks is told at once, and counted when all time is looked at at that age', async () => {
    await startWith({ late: MINUTE, bound: '1h' });
    await rig.pass(CUT.to - BEGIN, 10 * MINUTE);
    await rig.pass(10 * MINUTE);
    const { missing } = await rig.difference();
    expect(missing.length).toBeGreaterThan(0);
    expect(await shown()).toMatch(
      /^ {2}late data: found up to 5\dm.* after its instant\n {4}looks for more of it end at schedule\.lookBackAtMost, so there may be more before that\n {4}try: a longer lookBackAtMost, or databridge backfill start with --what all$/m,
    );
    expect(await streamAsJson()).toMatchObject({ newsBeyond: 0, mayMissLateData: true });
    await rig.pass(15 * MINUTE);
    expect(await streamAsJson()).toMatchObject({ newsBeyond: missing.length, mayMissLateData: true });
  });

  it('is not looked for where readings have other names, because they would be stored twice', async () => {
    await startWith({ late: 5 * MINUTE });
    await rig.pass(CUT.to + MINUTE - BEGIN, 10 * MINUTE);
    await rig.database.run('update stream set looks_from = at_instant($1)', [CUT.to]);
    await rig.pass(40 * MINUTE, 10 * MINUTE);
    const { missing } = await rig.difference();
    expect(missing.length).toBeGreaterThan(40);
    expect(missing.filter((at) => at >= formatInstant(CUT.to))).toEqual([]);
    expect(await shown()).not.toContain('late data');
    expect(await rig.database.rows('select look_again::text from stream')).toEqual([{ look_again: '{}' }]);
  });

  it('is not said to be asked for before the start of the source, which an operator may move', async () => {
    await startWith({ late: 0 });
    const range = [BEGIN - HOUR, BEGIN + 2 * HOUR];
    await rig.database.run(
      `update stream set look_again = tstzmultirange(tstzrange(at_instant($1), at_instant($2))),
         covered = tstzmultirange(tstzrange(at_instant($1) - interval '1 h', at_instant($2)))`,
      range,
    );
    const told = async (start: number): Promise<string | undefined> => {
      await rig.database.run('update source set start_at = at_instant($1)', [start]);
      return /^ {2}(.*) are asked once more for late data$/m.exec(await shown())?.[1];
    };
    expect([await told(BEGIN - DAY), await told(BEGIN), await told(BEGIN + 3 * HOUR)]).toEqual(['3h', '2h', undefined]);
  });

  it('that came later than the bound is counted where a backfill finds it', async () => {
    await startWith({ late: 5 * HOUR, bound: '1h' });
    await rig.pass(CUT.to - BEGIN + 5 * HOUR + 20 * MINUTE, 10 * MINUTE);
    expect(await streamAsJson()).toMatchObject({ newsAge: 0, newsBeyond: 0, mayMissLateData: false });
    const source = { name: 'source', organisation: 'default' };
    await startBackfill(rig.database, { source, ...CUT, what: 'all', requestedBy: 'tester' });
    await rig.database.run('update backfill set created_at = at_instant($1)', [rig.now()]);
    await rig.runHistory();
    expect(await shown()).toMatch(
      /^ {2}late data: found up to 6h\d+m after its instant\n {4}60 readings came later than schedule\.lookBackAtMost, so there may be more$/m,
    );
    expect(await streamAsJson()).toMatchObject({ newsBeyond: 60, mayMissLateData: true });
    expect(await printed('backfill', 'show', '1')).toMatch(/: done, 100\.0 % covered, 60 readings read$/m);
  });
});

it('points that came more than once, and those outside of what was asked, are told with the refused ones', async () => {
  await startWith({ late: 0 });
  await rig.database.run(
    `insert into window_sum (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, late, refused, repeats, outside)
     select id, date_trunc('hour', now()) - age * interval '1 hour', lane, 0, 0, 0, 0, 0, 0, 0, 0, refused, repeats, outside
     from source, (values (1, 'live', 1, 20, 300), (2, 'history', 4, 50, 600), (25, 'live', 1000, 1000, 1000))
       as sums (age, lane, refused, repeats, outside)`,
  );
  expect(await shown()).toMatch(
    /^in 24h 5 points refused \(each [^)]+\), 70 sent more than once, 900 outside of what was asked$/m,
  );
  expect(await asJson()).toMatchObject({ refused24h: 5, repeats24h: 70, outside24h: 900 });
});
