import { describe, expect, it } from 'vitest';
import { subtract, totalLength } from '../../src/core/coverage.ts';
import { BridgeError, contractBroken } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import { startPullRig } from './pull-rig.ts';
import type { Failing, PullRig } from './pull-rig.ts';

// Windows that cannot be read, on a real database: which time is set aside, read around, and asked for again.

const databases = useDatabases();

/** More than an hour after the clock of the database, at any minute of an hour; see `runHistory`. */
const BEGIN = Math.floor(Date.now() / 3_600_000) * HOUR + 2 * HOUR;
const EVERY = 10 * SECOND;
const START = BEGIN - DAY;

const policy = { start: START, settle: 0, align: SECOND, overlap: 10 * MINUTE, maxWindow: DAY };

const rigWith = (given: { concurrency?: number; minWindow?: number; streams?: number } = {}): Promise<PullRig> =>
  startPullRig(databases, {
    begin: BEGIN,
    policy,
    truth: { first: START, every: EVERY, latenessOf: () => 0 },
    ...given,
  });

/** Fails for every window that holds one of these instants. */
const broken =
  (instants: readonly number[], error: () => BridgeError = () => contractBroken('half a page')): Failing =>
  ({ from, to }) =>
    instants.some((at) => from <= at && at < to) ? error() : undefined;

const serverError = (): BridgeError => new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');

/** Asserts that all time but these seconds is covered, with the readings of the platform. */
async function expectAllBut(rig: PullRig, seconds: readonly number[]): Promise<void> {
  const covered = await rig.covered();
  const edge = covered.at(-1)?.to ?? START;
  const holes = subtract([{ from: START, to: edge }], covered);
  expect(holes).toEqual(seconds.map((from) => ({ from, to: from + SECOND })));
  expect((await rig.unreadable()).filter(({ to }) => to <= edge)).toEqual(holes);
  expect(await rig.difference()).toEqual({ unexpected: [], missing: [] });
}

describe('points that cannot be read', () => {
  it.each([1, 3])(
    'in history are alone in the end, and all older time is reached, with %d requests at a time',
    async (concurrency) => {
      const bad = [2, 2.5, 9, 13, 13.2, 20].map((hours) => START + hours * HOUR);
      const rig = await rigWith({ concurrency });
      rig.fails(broken(bad));
      // The order in which three answers come back decides how often history rests in between.
      const areAlone = async (): Promise<boolean> =>
        (await rig.unreadable()).every(({ from, to }) => bad.includes(from) && to === from + SECOND);
      do await rig.pass(15 * MINUTE);
      while (!(await areAlone()) && rig.now() < BEGIN + 2 * HOUR);
      await expectAllBut(rig, bad);
      expect(rig.asked.length).toBeLessThan(400);
    },
  );

  it('that get a 500 for ever end the same way', async () => {
    const bad = [START + 3 * HOUR, START + 11 * HOUR];
    const rig = await rigWith();
    rig.fails(broken(bad, serverError));
    await rig.pass(100 * MINUTE, 2 * MINUTE);
    await expectAllBut(rig, bad);
  });

  it('at the edge hold live up for one poll', async () => {
    const rig = await rigWith();
    await rig.pass(5 * MINUTE);
    const bad = [rig.now() + 90 * SECOND, rig.now() + 150 * SECOND];
    rig.fails(broken(bad));
    for (let polls = 0; polls < 12; polls += 1) {
      const before = rig.now();
      await rig.pass(MINUTE);
      const end = (await rig.covered()).at(-1)?.to ?? 0;
      expect(before - end).toBeLessThanOrEqual(2 * MINUTE);
    }
    await expectAllBut(rig, bad);
  });

  it('are read soon after the platform was mended', async () => {
    const bad = [START + 3 * HOUR, START + 11 * HOUR];
    const rig = await rigWith();
    rig.fails(broken(bad));
    await rig.pass(HOUR, 5 * MINUTE);
    const requests = rig.asked.length;
    await rig.pass(DAY, 30 * MINUTE);
    // One poll each half hour, its look back, and a few tries of two instants.
    expect(rig.asked.length - requests).toBeLessThan(48 * 2 + 2 * 12);
    await expectAllBut(rig, bad);
    rig.fails(undefined);
    await rig.pass(7 * HOUR, 30 * MINUTE);
    await expectAllBut(rig, []);
    expect(await rig.unreadable()).toEqual([]);
  });

  it('of a shard, an hour of them, cost a bounded number of requests', async () => {
    const rig = await rigWith();
    const shard = { from: START + 7 * HOUR, to: START + 8 * HOUR };
    rig.fails(({ from, to }) => (from < shard.to && shard.from < to ? contractBroken('shard') : undefined));
    await rig.pass(DAY, 10 * MINUTE);
    const holes = subtract([{ from: START, to: rig.now() - HOUR }], await rig.covered());
    // The bound on stretches leaves its two ends a little wider.
    expect(subtract([shard], holes)).toEqual([]);
    expect(totalLength(holes)).toBeLessThan(HOUR + 2 * MINUTE);
    expect((await rig.unreadable()).length).toBeLessThanOrEqual(501);
    expect(rig.asked.filter(({ lane }) => lane === 'history').length).toBeLessThan(3_000);
    rig.fails(undefined);
    await rig.pass(7 * HOUR, 10 * MINUTE);
    await expectAllBut(rig, []);
  });
});

describe('a platform that answers nothing it should', () => {
  it.each([1, 4])('is asked about as seldom as one that is away, with %d streams', async (streams) => {
    const requestsOf = async (error: () => BridgeError): Promise<number> => {
      const rig = await rigWith({ streams });
      await rig.pass(3 * MINUTE);
      const before = rig.asked.length;
      rig.fails(error);
      await rig.pass(7 * MINUTE, SECOND);
      return rig.asked.length - before;
    };
    const away = await requestsOf(serverError);
    const broken = await requestsOf(() => contractBroken('<html>login</html>'));
    expect(broken).toBeLessThanOrEqual(away + 2 * streams);
  });

  it('gets a few requests an hour, and everything is read when it is mended', async () => {
    const rig = await rigWith();
    await rig.pass(10 * MINUTE);
    rig.fails(() => contractBroken('<html>login</html>'));
    const requests = rig.asked.length;
    await rig.pass(12 * HOUR, 10 * MINUTE);
    // Each lane waits up to 30 minutes: one live window, and a run of three of history.
    expect(rig.asked.length - requests).toBeLessThan(12 * 2 * 6);
    expect(totalLength(await rig.covered())).toBeLessThan(DAY + 12 * MINUTE);
    rig.fails(undefined);
    await rig.pass(2 * HOUR);
    await expectAllBut(rig, []);
    expect(await rig.unreadable()).toEqual([]);
  });
});
