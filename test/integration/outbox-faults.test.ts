import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { eventually } from './daemon-rig.ts';
import { makeRig } from './outbox-rig.ts';
import type { Point, RemoteState, Rig, Worker } from './outbox-rig.ts';
import { problem } from './outbox-service.ts';
import type { Fault } from './outbox-service.ts';

const databases = useDatabases();
let rig: Rig;
let worker: Worker;

beforeEach(async () => {
  rig = await makeRig(databases);
  await rig.push();
  worker = await rig.worker();
});

afterEach(async () => {
  await rig.close();
});

const points = (count: number, value = 1): Point[] =>
  Array.from({ length: count }, (_, at) => ({ sensor: `s${at % 7}`, at, value: value + at }));

/** Runs one delivery that fails. @returns the state of the remote after it */
async function deliverOnce(): Promise<RemoteState> {
  const before = rig.service.bodies.length;
  await worker.deliverer.look();
  return await eventually('a delivery is over', async () => {
    const remote = await rig.remote();
    return remote.claimed === null && rig.service.bodies.length > before && remote.failures > 0 && remote;
  });
}

const page = '<!doctype html><html><body>please log in</body></html>';

describe('a fault of the service', () => {
  const answer = (status: number, more: { headers?: Record<string, string>; body?: string } = {}): Fault => ({
    kind: 'answer',
    status,
    body: problem(status, 'the service says so'),
    ...more,
  });
  // A delivery waits about a second where the service is away, and at least 15 s where an operator has to act.
  const SOON = { least: 500, most: 1_000 };
  const SLOW = { least: 15_000, most: 30_000 };
  const exactly = (seconds: number): typeof SOON => ({ least: seconds * 1_000, most: seconds * 1_000 });
  const databaseTime = async (): Promise<string> =>
    (await rig.database.row<{ now: string }>('select clock_timestamp()::text as now'))?.now ?? '';

  it.each<[string, Fault, string, { least: number; most: number }]>([
    ['503', answer(503), 'overloaded', SOON],
    ['503 with Retry-After', answer(503, { headers: { 'retry-after': '40' } }), 'overloaded', exactly(40)],
    [
      '503 with a Retry-After of days',
      answer(503, { headers: { 'retry-after': '999999' } }),
      'overloaded',
      exactly(3_600),
    ],
    ['429 with a Retry-After of 0', answer(429, { headers: { 'retry-after': '0' } }), 'overloaded', SOON],
    ['500', answer(500), 'failed', SOON],
    ['502 with a page', answer(502, { body: page, headers: { 'content-type': 'text/html' } }), 'failed', SOON],
    ['403', answer(403), 'forbidden', SLOW],
    ['404', answer(404), 'unknown-target', SLOW],
    ['400', answer(400), 'rejected', SLOW],
    ['200 with a page', answer(200, { body: page, headers: { 'content-type': 'text/html' } }), 'not-a-bridge', SLOW],
    ['200 without a body', answer(200, { body: '' }), 'not-a-bridge', SLOW],
    ['a redirect', answer(307, { headers: { location: 'http://127.0.0.1:9/' } }), 'not-a-bridge', SLOW],
    ['a reset after storing', { kind: 'reset-after-storing' }, 'unreachable', SOON],
    ['half an answer', { kind: 'truncated' }, 'unreachable', SOON],
    ['counts that do not add up', { kind: 'wrong-counts' }, 'not-a-bridge', SLOW],
  ])(
    '%s: no reading is lost, and the delivery waits as long as it should',
    async (_name, fault, code, { least, most }) => {
      await rig.commit(points(50));
      rig.service.fail(fault);
      const begun = await databaseTime();
      const remote = await deliverOnce();
      const ended = await databaseTime();
      expect(remote).toMatchObject({
        state: 'active',
        failures: 1,
        fault: { code, message: expect.stringContaining('127.0.0.1') as string },
      });
      // The wait began at an instant between the two.
      expect(
        await rig.database.row(
          `select held_until >= $1::timestamptz + $3 * interval '1 ms' as long,
             held_until <= $2::timestamptz + $4 * interval '1 ms' as short from remote`,
          [begun, ended, least, most],
        ),
      ).toEqual({ long: true, short: true });
      expect((await rig.outbox()).flatMap(({ readings }) => [...readings])).toHaveLength(50);
      await rig.commit(points(60, 2));
      await rig.database.run('update remote set held_until = null');
      await rig.drain([worker]);
      await rig.expectEqual();
      expect(await rig.remote()).toMatchObject({ state: 'active', failures: 0, fault: null, heldMs: null });
    },
  );

  it('that stays is tried again by itself, at growing distances', async () => {
    await rig.commit(points(50));
    rig.service.fail(answer(503), 3);
    const waits: number[] = [];
    await rig.drain([worker], async () => {
      const { failures, waitMs } = await rig.remote();
      waits[failures] = waitMs ?? 0;
    });
    expect(rig.service.bodies.map(({ status }) => status)).toEqual([503, 503, 503, 200]);
    expect(waits[3]).toBeGreaterThan(waits[1] ?? Infinity);
    await rig.expectEqual();
  });

  it('that is silence is broken off when the process ends, and the next process sends the body again', async () => {
    await rig.commit(points(50));
    rig.service.fail({ kind: 'silence' });
    await worker.deliverer.look();
    await eventually('the body arrived', () => rig.service.bodies.length === 1);
    await worker.deliverer.stop();
    expect(await rig.remote()).toMatchObject({ state: 'active', failures: 0, fault: null, claimed: null });
    expect(await rig.outbox()).toHaveLength(1);
    await rig.drain([await rig.worker()]);
    await rig.expectEqual();
  });

  it('that is a closed port is waited out until the port is open', async () => {
    await rig.push({ url: 'http://127.0.0.1:9' });
    await rig.commit(points(5));
    await worker.deliverer.look();
    const remote = await eventually('it failed', async () => {
      const now = await rig.remote();
      return now.failures > 0 && now;
    });
    expect(remote).toMatchObject({
      state: 'active',
      fault: { code: 'unreachable', remedy: expect.any(String) as string },
    });
    await rig.push();
    await rig.drain([worker]);
    await rig.expectEqual();
  });
});

describe('a service with limits', () => {
  it('of readings gets bodies of the size it accepts, which is remembered', async () => {
    rig.service.limit({ readings: 300 });
    await rig.commit(points(4_000));
    await rig.drain([worker]);
    await rig.expectEqual();
    const { batch } = await rig.remote();
    expect(batch).toBeGreaterThan(150);
    expect(batch).toBeLessThanOrEqual(300);
    const before = rig.service.bodies.length;
    await rig.commit(points(4_000, 2));
    await rig.drain([worker]);
    expect(rig.service.bodies.slice(before).every(({ status }) => status === 200)).toBe(true);
    await rig.expectEqual();
  });

  it('that were lifted gets larger bodies again', async () => {
    await rig.database.run('update remote set batch = 4');
    await rig.commit(points(2_000));
    await rig.drain([worker]);
    expect(Math.max(...rig.service.bodies.map(({ readings }) => readings.length))).toBeGreaterThan(4);
    await rig.expectEqual();
  });

  it('of bytes gets every reading but the one that is too large by itself, which becomes a refusal', async () => {
    rig.service.limit({ bytes: 2_500 });
    const labels = Array.from({ length: 30 }, (_, index) => String(index).padStart(100, 'x'));
    await rig.commit([...points(200), { sensor: 'large', at: 300, value: 1, labels }]);
    await rig.drain([worker]);
    expect(await rig.outbox()).toEqual([]);
    expect(rig.service.stored()).toHaveLength(200);
    const refusals = await rig.database.rows('select reason, sensor, raw from refusal');
    expect(refusals).toEqual([
      { reason: 'refused-there', sensor: 'large', raw: expect.stringMatching(/^1: too-large: /) as string },
    ]);
  });

  it('too small for any reading shows a fault, and no reading is lost', async () => {
    rig.service.limit({ bytes: 10 });
    await rig.commit(points(3));
    const remote = await deliverOnce();
    expect(remote.fault?.code).toBe('too-large');
    expect((await rig.outbox()).flatMap(({ readings }) => [...readings])).toHaveLength(3);
    rig.service.limit({});
    await rig.database.run('update remote set held_until = null');
    await rig.drain([worker]);
    await rig.expectEqual();
  });

  it('gets large bodies compressed, and in the order in which they were stored', async () => {
    await rig.commit(points(3_000));
    await rig.commit(points(3_000, 5));
    await rig.drain([worker]);
    expect(rig.service.bodies.every(({ gzip }) => gzip)).toBe(true);
    // Each reading goes once, with the value of the second commit.
    expect(rig.service.bodies.flatMap(({ readings }) => readings).length).toBe(3_000);
    await rig.expectEqual();
  });
});
