import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { storeStream } from '../kit/stored-source.ts';
import { makeRig } from './outbox-rig.ts';
import type { Point, Rig, Worker } from './outbox-rig.ts';
import type { Fault } from './outbox-service.ts';

// Readings are revised again and again while deliveries fail in every way. The value stored last is the value that arrives last.

const databases = useDatabases();
let rig: Rig;

beforeEach(async () => {
  rig = await makeRig(databases);
  await rig.push();
});

afterEach(async () => {
  await rig.close();
});

const FAULTS: readonly Fault[] = [
  { kind: 'answer', status: 503 },
  { kind: 'answer', status: 429, headers: { 'retry-after': '1' } },
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 404 },
  { kind: 'answer', status: 200, body: '<html></html>' },
  { kind: 'reset-after-storing' },
  { kind: 'truncated' },
  { kind: 'wrong-counts' },
];

/** Numbers from 0 to 1, the same ones for the same seed (Lehmer's generator). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe('the value that arrives last', () => {
  it.each([1, 2, 3])('is the value stored last, whatever fails meanwhile (%i)', async (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const workers: Worker[] = [await rig.worker(), await rig.worker(), await rig.worker()];
    const streams = [rig.streamId, await storeStream(rig.database, rig.source, 'other')];
    let rounds = 0;
    let value = 0;
    const failed = (): number => rig.service.bodies.filter(({ status }) => status !== 200).length;
    // How many bodies a round sends depends on how fast the machine is.
    const isOver = (): boolean => rounds > 60 && failed() > 10;
    const trouble = async (): Promise<void> => {
      // Tokens that expire twice during one body stop the delivery, and then an operator resumes it.
      await rig.database.run(`update remote set held_until = null, state = 'active'`);
      rounds += 1;
      if (isOver()) {
        rig.service.heal();
        rig.service.limit({});
        return;
      }
      value += 1;
      const from = Math.floor(random() * 40);
      const count = random() < 0.1 ? 2_500 : 1 + Math.floor(random() * 60);
      // Both streams hold the same sensors, so that windows of two streams revise each other.
      const points = Array.from({ length: count }, (_, at): Point => ({
        sensor: 'ab'[at % 2] ?? 'a',
        at: from + Math.floor(at / 2),
        value: random() < 0.5 ? value : 0,
      }));
      await rig.commit(points, { stream: pick(streams) });
      if (random() < 0.5) rig.service.fail(pick(FAULTS));
      if (random() < 0.1) rig.service.tokens.expireAll();
      if (random() < 0.2) rig.service.limit({ readings: pick([7, 50, 1_000]) });
      if (random() < 0.2) await pick(workers).fallSilent();
    };
    while (!isOver()) {
      await trouble();
      for (const worker of workers) {
        if (random() < 0.8) await worker.beat();
        await worker.deliverer.look();
      }
    }
    await rig.drain(workers, trouble);
    await Promise.all(workers.map(({ deliverer }) => deliverer.stop()));
    await rig.drain([await rig.worker()]);
    await rig.expectEqual();
  });

  it('comes after all older ones', async () => {
    const worker = await rig.worker();
    await rig.database.run('update remote set batch = 10');
    for (let value = 1; value <= 8; value += 1) {
      await rig.commit(Array.from({ length: 5 }, (_, at) => ({ sensor: 'a', at: 5 * value + at, value })));
    }
    await rig.drain([worker]);
    const sent = rig.service.bodies.flatMap(({ readings }) => readings.map(({ value }) => value));
    expect(sent).toEqual(sent.toSorted((one, other) => one - other));
    expect(sent).toHaveLength(40);
    await rig.expectEqual();
  });

  it('comes after all older ones also where the outbox has more rows than are looked at together', async () => {
    const worker = await rig.worker();
    const rows = 4_500;
    await rig.commit([{ sensor: 'a', at: 0, value: rows }]);
    await rig.database.run(
      `insert into outbox (project_id, stream_id, readings, series, at, value, precision, labels)
       select project_id, stream_id, 1, series, at, array[number], precision, labels
       from outbox, generate_series(1, $1::int) as number order by number`,
      [rows],
    );
    await rig.drain([worker]);
    const sent = rig.service.bodies.flatMap(({ readings }) => readings.map(({ value }) => value));
    expect(sent).toEqual(sent.toSorted((one, other) => one - other));
    expect(sent.at(-1)).toBe(rows);
    expect(sent.length).toBeGreaterThan(1);
    await rig.expectEqual();
  });

  it('goes alone where one body would hold older values of the same reading, and nothing is refused', async () => {
    for (const value of [1, 2, 3]) {
      await rig.commit([
        { sensor: 'a', at: 0, value },
        { sensor: 'a', at: value, value },
      ]);
    }
    await rig.drain([await rig.worker()]);
    const sent = rig.service.bodies.flatMap(({ readings }) => readings.map(({ value }) => value));
    expect(sent).toEqual([1, 2, 3, 3]);
    expect(
      await rig.database.row('select sum(readings)::int as readings, sum(refused)::int as refused from delivery_sum'),
    ).toEqual({
      readings: 4,
      refused: 0,
    });
    expect(await rig.database.row('select waiting from remote')).toEqual({ waiting: 0 });
    await rig.expectEqual();
  });
});
