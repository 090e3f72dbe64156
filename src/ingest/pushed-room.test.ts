import fc from 'fast-check';
import { expect, it } from 'vitest';
import { roomOf } from './pushed-room.ts';

/** Takes all bytes that an application may have, one by one. @returns how many */
function fill(room: ReturnType<typeof roomOf>, id: string): number {
  let taken = 0;
  while (room.take(id, 1)) taken += 1;
  return taken;
}

it('gives one application half, and always leaves a further one as much as each of them holds', () => {
  const room = roomOf(1_000);
  expect(fill(room, 'a')).toBe(500);
  expect(fill(room, 'b')).toBe(250);
  expect(room.load()).toBe(1);
  room.give('a', 500);
  expect(fill(room, 'c')).toBe(375);
});

it('never gives more bytes than it has, and has all of them back in the end', () => {
  const step = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.integer({ min: 1, max: 400 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const room = roomOf(1_000);
      const taken = steps.filter(({ id, bytes }) => room.take(id, bytes));
      const all = taken.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(all).toBeLessThan(1_000);
      expect(room.load()).toBe(Math.min(1, all / 500));
      for (const { id, bytes } of taken) room.give(id, bytes);
      expect(room.load()).toBe(0);
      expect(room.take('a', 500)).toBe(true);
    }),
  );
});
