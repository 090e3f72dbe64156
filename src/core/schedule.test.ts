import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, MINUTE, SECOND } from './instant.ts';
import { nextDue, phaseOf } from './schedule.ts';

const every = fc.integer({ min: 1, max: 30 * DAY });
const instant = fc.integer({ min: -365 * DAY, max: 100_000 * DAY });

test('a source is due strictly later, within one interval, at its own phase', () =>
  fc.assert(
    fc.property(fc.string(), every, instant, (name, interval, after) => {
      const due = nextDue(name, interval, after);
      expect(due).toBeGreaterThan(after);
      expect(due - after).toBeLessThanOrEqual(interval);
      expect(Math.abs(due - phaseOf(name, interval)) % interval).toBe(0);
      expect(nextDue(name, interval, due)).toBe(due + interval);
    }),
    { numRuns: 1_000 },
  ));

test('the phase never changes, so that hosts of different versions agree', () => {
  expect(phaseOf('plant-north', MINUTE)).toBe(26_775_054);
});

test.each([
  ['numbered names', (index: number) => `source-${index}`],
  ['names that differ in front', (index: number) => `${index}-turbine`],
  ['names of letters', (index: number) => index.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[+digit] ?? '')],
])('%s are spread evenly over the interval', (_, nameOf) => {
  const [sources, slots] = [6_000, 60];
  const counts = Array.from({ length: slots }, () => 0);
  for (let index = 0; index < sources; index++) {
    const slot = Math.floor(phaseOf(nameOf(index), MINUTE) / SECOND);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  const expected = sources / slots;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 59 degrees of freedom: a fair spread exceeds 98.3 once in a thousand.
  expect(chiSquare).toBeLessThan(98.3);
});
