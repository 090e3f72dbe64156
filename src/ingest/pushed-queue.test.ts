import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pushedQueue } from './pushed-queue.ts';
import type { Waiting } from './pushed-queue.ts';

interface Push extends Waiting {
  readonly number: number;
}

let made = 0;

/** A push of `readings` readings in `series`, or in a series of its own. Its column holds at most three, from the instant `from` on. */
function push(applicationId: string, readings: number, series?: number, from = 0): Push {
  made += 1;
  const at = Array.from({ length: Math.min(readings, 3) }, (_, index) => from + index);
  const segment = { at, value: at, precision: undefined, labels: [] };
  const column = { sensorId: 's', valueName: 'none', segments: [segment] };
  const columns = [{ series: series ?? 1_000_000 + made, column, labelSets: [null] }];
  return { applicationId, readings, columns, number: made };
}

const applications = (group: readonly Push[]): string => group.map(({ applicationId }) => applicationId).join('');

describe('the queue of pushes', () => {
  it('hands each push over once, in the order of arrival within an application', () => {
    const arbitrary = fc.record({
      applicationId: fc.constantFrom('a', 'b', 'c'),
      readings: fc.integer({ min: 1, max: 3_000 }),
      series: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 40 }), fc.integer({ min: 1, max: 4_000 }), (given, most) => {
        const queue = pushedQueue<Push>();
        const pushes = given.map(({ applicationId, readings, series }) => push(applicationId, readings, series));
        for (const one of pushes) queue.add(one);
        const out: Push[] = [];
        for (let group = queue.next(most); group.length > 0; group = queue.next(most)) {
          const together = group.reduce((sum, { readings }) => sum + readings, 0);
          expect(group.length === 1 || together <= most).toBe(true);
          // All of them hold the instant 0 of their series.
          expect(new Set(group.map(({ columns }) => columns[0]?.series)).size).toBe(group.length);
          out.push(...group);
        }
        expect(queue.readings).toBe(0);
        for (const id of ['a', 'b', 'c']) {
          const of = (list: readonly Push[]): Push[] => list.filter(({ applicationId }) => applicationId === id);
          expect(of(out)).toEqual(of(pushes));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('lets a new application into the next commit, however many pushes of another one wait', () => {
    const queue = pushedQueue<Push>();
    for (let index = 0; index < 100; index += 1) queue.add(push('a', 900));
    queue.next(10_000);
    queue.add(push('b', 1));
    expect(applications(queue.next(10_000))).toContain('b');
  });

  it('shares commits out by readings, not by pushes', () => {
    const queue = pushedQueue<Push>();
    for (let index = 0; index < 40; index += 1) queue.add(push('a', 50_000));
    for (let index = 0; index < 5_000; index += 1) queue.add(push('b', 1));
    let ofA = 0;
    let ofB = 0;
    while (ofB < 5_000) {
      for (const { applicationId, readings } of queue.next(20_000)) {
        if (applicationId === 'a') ofA += readings;
        else ofB += readings;
      }
    }
    // One large push may put its application ahead.
    expect(ofA).toBeLessThanOrEqual(5_000 + 50_000);
  });

  it('lets a push of any size through when its turn comes', () => {
    const queue = pushedQueue<Push>();
    queue.add(push('a', 1_000_000));
    expect(queue.next(20_000)).toHaveLength(1);
  });

  it('keeps a push that may hold the same reading for the next commit, and all later ones of its application', () => {
    const queue = pushedQueue<Push>();
    queue.add(push('a', 3, 1, 0));
    queue.add(push('b', 3, 1, 2));
    queue.add(push('b', 3, 2));
    queue.add(push('c', 3, 1, 3));
    expect(applications(queue.next(100))).toBe('ac');
    expect(applications(queue.next(100))).toBe('bb');
  });

  it('saves up no turns while a push waits for one that may hold the same reading', () => {
    const queue = pushedQueue<Push>();
    for (let turn = 0; turn < 200; turn += 1) {
      queue.add(push('a', 3, 1));
      queue.add(push('b', 3, 1));
    }
    for (let turn = 0; turn < 300; turn += 1) queue.next(10);
    for (let index = 0; index < 100; index += 1) queue.add(push('b', 1_000));
    for (let index = 0; index < 100; index += 1) queue.add(push('c', 1_000));
    const groups = Array.from({ length: 60 }, () => applications(queue.next(4_000))).join('');
    const count = (id: string): number => groups.split(id).length - 1;
    expect(Math.abs(count('b') - count('c'))).toBeLessThan(120);
    expect(count('c')).toBe(100);
  });

  it('forgets a push that is taken out', () => {
    const queue = pushedQueue<Push>();
    const one = push('a', 5);
    const other = push('a', 7);
    queue.add(one);
    queue.add(other);
    queue.remove(one);
    queue.remove(one);
    expect(queue.readings).toBe(7);
    expect(queue.next(100)).toEqual([other]);
    queue.remove(other);
    expect(queue.readings).toBe(0);
  });
});
