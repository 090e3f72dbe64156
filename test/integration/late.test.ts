import { describe, expect, it } from 'vitest';
import { totalLength } from '../../src/core/coverage.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { agesOf } from '../../src/core/look-back.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { useDatabases } from '../kit/databases.ts';
import { startPullRig } from './pull-rig.ts';
import type { PullRig } from './pull-rig.ts';

// A gateway that is cut off and uploads its buffer later than the overlap, on a real database, point for point.

const databases = useDatabases();

const BEGIN = Math.floor(Date.now() / 3_600_000) * HOUR - 20 * DAY;
const OVERLAP = 10 * MINUTE;
const POLICY = { start: BEGIN, settle: 0, align: SECOND, overlap: OVERLAP, maxWindow: DAY };
const CUT = { from: BEGIN + HOUR, to: BEGIN + HOUR + 3 * MINUTE };
const isCut = (at: number): boolean => at >= CUT.from && at < CUT.to;

/** The instants of the cut are uploaded by `uploadedAt`; all other points at once. */
const rigWith = (
  uploadedAt: (at: number) => number,
  given: { readonly lookBackAtMost?: number; readonly every?: number } = {},
): Promise<PullRig> =>
  startPullRig(databases, {
    begin: BEGIN,
    policy: POLICY,
    lookBackAtMost: 30 * DAY,
    truth: {
      first: BEGIN,
      every: given.every ?? 10 * SECOND,
      latenessOf: (at) => (isCut(at) ? uploadedAt(at) - at : 0),
    },
    ...given,
  });

const NONE = { unexpected: [], missing: [] };
const AFTER_OVERLAP = CUT.to + OVERLAP + 20 * MINUTE;

describe('a cut of three minutes', () => {
  it.each([
    ['at once', () => AFTER_OVERLAP],
    ['oldest first, over five minutes', (at: number) => AFTER_OVERLAP + (at - CUT.from) * 1.7],
    ['newest first, over five minutes', (at: number) => AFTER_OVERLAP + (CUT.to - at) * 1.7],
  ] as const)('that is uploaded 20 minutes later than the overlap, %s, is found', async (_, uploadedAt) => {
    const rig = await rigWith(uploadedAt);
    await rig.pass(90 * MINUTE, 5 * MINUTE);
    await rig.pass(10 * MINUTE);
    expect(await rig.difference()).not.toEqual(NONE);
    await rig.pass(4 * HOUR, 5 * MINUTE);
    expect(await rig.difference()).toEqual(NONE);
    expect(await rig.database.row('select look_again::text as again, news_age_us > 0 as told from stream')).toEqual({
      again: '{}',
      told: true,
    });
  });

  it('that is uploaded two days later is found, and the time before it is asked a few times', async () => {
    const rig = await rigWith(() => CUT.to + 2 * DAY, { every: MINUTE });
    await rig.pass(10 * DAY, HOUR);
    expect(await rig.difference()).toEqual(NONE);
    const asked = rig.asked.filter(({ lane }) => lane === 'history').map(({ window }) => window);
    // Four ages, and the further looks.
    expect(asked.reduce((sum, { from, to }) => sum + to - from, 0)).toBeLessThan(6 * 10 * DAY);
  });

  it('is found by runs that end after every third request, and by two workers at a time', async () => {
    const rig = await rigWith(() => AFTER_OVERLAP);
    let requests = 0;
    rig.fails(() => ((requests += 1) % 3 === 0 ? new BridgeError({ code: 'cancelled' }, 'killed') : undefined));
    await rig.pass(5 * HOUR, 4 * MINUTE, 2);
    rig.fails(undefined);
    await rig.pass(10 * MINUTE);
    expect(await rig.difference()).toEqual(NONE);
  });

  it('that comes later than the bound is not looked for, and counted where a backfill finds it', async () => {
    const rig = await rigWith(() => CUT.to + 5 * HOUR, { lookBackAtMost: HOUR });
    await rig.pass(9 * HOUR, 10 * MINUTE);
    expect((await rig.difference()).missing).toHaveLength(18);
    await startBackfill(rig.database, {
      source: { name: 'source', organisation: 'default' },
      from: CUT.from,
      to: CUT.to,
      what: 'all',
      requestedBy: 'tester',
    });
    await rig.runHistory();
    expect(await rig.difference()).toEqual(NONE);
    expect(await rig.database.row('select news_beyond as beyond from stream')).toEqual({ beyond: 18 });
  });
});

describe('a buffer of an hour that is uploaded at once, with its end within the overlap', () => {
  // The bound is the only age of regular looks, and it is longer than the test: only further looks can reach the buffer.
  const BUFFER = { from: BEGIN + 2 * HOUR, to: BEGIN + 3 * HOUR };
  const UPLOADED = BUFFER.to + 5 * MINUTE;
  const BOUND = 5 * HOUR;

  it('is found by looks that go back to twice the age of what was found, and no further', async () => {
    expect(agesOf({ ...POLICY, lookBackAtMost: BOUND })).toEqual([BOUND]);
    const rig = await startPullRig(databases, {
      begin: BEGIN,
      policy: POLICY,
      lookBackAtMost: BOUND,
      truth: {
        first: BEGIN,
        every: 10 * SECOND,
        latenessOf: (at) => (at >= BUFFER.from && at < BUFFER.to ? UPLOADED - at : 0),
      },
    });
    await rig.pass(UPLOADED - BEGIN - 5 * MINUTE, 10 * MINUTE);
    await rig.pass(4 * MINUTE);
    expect(rig.asked.filter(({ lane }) => lane === 'history')).toEqual([]);
    await rig.pass(20 * MINUTE);
    expect(rig.now()).toBeLessThan(BEGIN + BOUND);
    expect(await rig.difference()).toEqual(NONE);
    const looks = rig.asked.filter(({ lane }) => lane === 'history').map(({ window }) => window);
    // The begin of the buffer is found at an age of 65 to 85 minutes.
    const oldest = Math.min(...looks.map(({ from }) => from));
    expect(oldest).toBeGreaterThanOrEqual(UPLOADED - 2 * 85 * MINUTE);
    expect(oldest).toBeLessThanOrEqual(UPLOADED - 2 * 65 * MINUTE + 20 * MINUTE);
  });
});

it('without lookBackAtMost only the overlap is asked again', async () => {
  const rig = await rigWith(() => AFTER_OVERLAP, { lookBackAtMost: 0 });
  await rig.pass(4 * HOUR, 5 * MINUTE);
  expect((await rig.difference()).missing).toHaveLength(18);
  expect(totalLength(await rig.covered())).toBeGreaterThan(3 * HOUR);
});
