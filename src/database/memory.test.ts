import type { PoolClient } from 'pg';
import { expect, it } from 'vitest';
import { memoryOf } from './memory.ts';
import type { Memory } from './memory.ts';

/** A table `memory` with one row, and at most `connections` transactions at a time. `replaceBy` puts an older state in its place. */
function memoryOnTable(connections = Infinity): { memory: Memory; replaceBy: (mark: number | undefined) => void } {
  let row: { process: string; mark: number } | undefined;
  let free = connections;
  const waiting: ((value: unknown) => void)[] = [];
  const client = {
    async query(text: string, [process, mark]: [string, number]) {
      if (text.startsWith('select')) return { rowCount: row?.process === process && row.mark >= mark ? 1 : 0 };
      const stands = text.startsWith('insert') || (row?.process === process && row.mark === mark);
      if (stands) row = { process, mark: mark + 1 };
      return { rowCount: stands ? 1 : 0 };
    },
  } as unknown as PoolClient;
  return {
    memory: memoryOf({
      async transaction(work) {
        while (free === 0) await new Promise((resolve) => waiting.push(resolve));
        free -= 1;
        try {
          return await work(client);
        } finally {
          free += 1;
          waiting.shift()?.(undefined);
        }
      },
    }),
    replaceBy: (mark) => {
      row = mark === undefined || row === undefined ? undefined : { ...row, mark };
    },
  };
}

it('a look that takes long keeps no other look waiting', async () => {
  const { memory } = memoryOnTable();
  const gate = Promise.withResolvers<string>();
  const slow = memory.learn(() => gate.promise);
  expect(await memory.learn(async () => 'quick')).toBe('quick');
  expect(await memory.review()).toBe(false);
  expect(memory.stamp().mark).toBe(1);
  gate.resolve('slow');
  expect(await slow).toBe('slow');
  expect(memory.stamp().mark).toBe(2);
});

it('a review and looks that hold all connections do not wait for each other for ever', async () => {
  const { memory } = memoryOnTable(1);
  await memory.learn(async () => 1);
  const gate = Promise.withResolvers<string>();
  const look = memory.learn(() => gate.promise);
  const review = memory.review();
  await Promise.resolve();
  gate.resolve('found');
  expect(await look).toBe('found');
  expect(await review).toBe(false);
});

it('a look that fails keeps no other look waiting, and leaves no mark', async () => {
  const { memory } = memoryOnTable();
  await expect(memory.learn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await memory.learn(async () => 1)).toBe(1);
  expect(memory.stamp().mark).toBe(1);
});

it('looks that come in together share a transaction, and one that fails is asked alone', async () => {
  const { memory } = memoryOnTable();
  const gate = Promise.withResolvers<void>();
  const first = memory.learn(() => gate.promise);
  let looks = 0;
  const others = [1, 2, 3].map((number) =>
    memory.learn(async () => {
      looks += 1;
      return number;
    }),
  );
  gate.resolve();
  await first;
  expect(await Promise.all(others)).toEqual([1, 2, 3]);
  expect([looks, memory.stamp().mark]).toEqual([3, 2]);
  const before = memory.learn(async () => 0);
  const mixed = await Promise.allSettled([
    memory.learn(async () => 1),
    memory.learn(() => Promise.reject(new Error('no'))),
    memory.learn(async () => 3),
  ]);
  expect(await before).toBe(0);
  expect(mixed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('looks that began before the database was replaced look again, and everything is forgotten once', async () => {
  const { memory, replaceBy } = memoryOnTable();
  let forgotten = 0;
  memory.onForget(() => (forgotten += 1));
  await memory.learn(async () => 1);
  await memory.learn(async () => 2);
  const before = memory.stamp();
  const gate = Promise.withResolvers<void>();
  let looks = 0;
  const look = async (): Promise<number> => {
    looks += 1;
    await gate.promise;
    return looks;
  };
  const both = [memory.learn(look), memory.learn(look)];
  replaceBy(1);
  gate.resolve();
  await Promise.all(both);
  expect(looks).toBe(4);
  expect(forgotten).toBe(1);
  expect(memory.stamp().process).not.toBe(before.process);
  expect(memory.stamp().mark).toBe(1);
});
