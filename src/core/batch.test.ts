import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RAW_LENGTH, inOrder, rawText } from './batch.ts';
import type { Segment } from './batch.ts';
import { State } from './samples.ts';

const point = fc.record({
  at: fc.integer({ min: 0, max: 30 }),
  value: fc.integer(),
  grade: fc.constantFrom(0, 50, 100),
});

/** Segments as pages bring them: any order, repeats, some with precision, labels by the same or another array. */
const segments = fc.array(
  fc
    .record({
      points: fc.array(point, { maxLength: 8 }),
      graded: fc.boolean(),
      labels: fc.constantFrom<readonly string[]>(['a'], ['a', 'b'], []),
    })
    .map(({ points, graded, labels }): Segment => ({
      at: points.map(({ at }) => at),
      value: points.map(({ value }) => value),
      precision: graded ? points.map(({ grade }) => grade) : undefined,
      labels,
    })),
  { maxLength: 6 },
);

/** One line a point, with all that is known about it. */
const lines = (all: readonly Segment[]): [at: number, line: string][] =>
  all.flatMap(({ at, value, precision, labels }) =>
    at.map((instant, index): [number, string] => [
      instant,
      `${instant} ${value[index]} ${precision?.[index]} ${labels.join()}`,
    ]),
  );

/** The naive oracle: what came last for an instant stands in a map. */
const lastOf = (all: readonly Segment[]): string[] =>
  [...new Map(lines(all))].toSorted(([one], [other]) => one - other).map(([, line]) => line);

describe('segments of one series', () => {
  test('become one ascending run in which the last point of an instant stays', () =>
    fc.assert(
      fc.property(segments, (given) => {
        const { segments: ordered, repeats, displaced } = inOrder(given);
        const kept = new Set(lastOf(given));
        expect(lines(ordered).map(([, line]) => line)).toEqual([...kept]);
        // Each point that gave way is equal to the last of its instant, or is named.
        const others = lines(given).filter(([, line]) => !kept.has(line));
        const named = displaced.map(({ segment, index }) => lines([segment])[index]?.[1] ?? '');
        expect(named.toSorted()).toEqual(others.map(([, line]) => line).toSorted());
        expect(repeats).toBe(lines(given).length - kept.size - others.length);
        expect(ordered.every(({ at }) => at.length > 0)).toBe(true);
      }),
      { numRuns: 1_000 },
    ));

  test('have one value and, where they have any, one precision for each instant', () =>
    fc.assert(
      fc.property(segments, (given) => {
        for (const { at, value, precision } of inOrder(given).segments) {
          expect(value).toHaveLength(at.length);
          if (precision) expect(precision).toHaveLength(at.length);
        }
      }),
    ));

  test('in order already are handed on without a copy', () => {
    const first: Segment = { at: [1, 2], value: [1, 2], precision: undefined, labels: [] };
    const second: Segment = { at: [3], value: [3], precision: [100], labels: ['a'] };
    const ordered = inOrder([first, second]);
    expect(ordered.segments[0]).toBe(first);
    expect(ordered.segments[1]).toBe(second);
  });

  test('that only touch at one instant are not in order', () => {
    const labels: readonly string[] = [];
    const first: Segment = { at: [1, 2], value: [1, 2], precision: undefined, labels };
    const second: Segment = { at: [2, 3], value: [20, 3], precision: undefined, labels };
    expect(inOrder([first, second])).toEqual({
      segments: [{ at: [1, 2, 3], value: [1, 20, 3], precision: undefined, labels }],
      repeats: 0,
      displaced: [{ segment: first, index: 1 }],
    });
  });

  test('hold a repeat only where value, precision and labels are equal', () => {
    const one = (more: Partial<Segment>): Segment => ({
      at: [7],
      value: [1],
      precision: [100],
      labels: ['a'],
      ...more,
    });
    const last = one({});
    const told = (...before: Segment[]): [repeats: number, displaced: number] => {
      const { repeats, displaced } = inOrder([...before, last]);
      return [repeats, displaced.length];
    };
    expect(told(one({ labels: ['a'] }))).toEqual([1, 0]);
    expect(told(one({ value: [2] }))).toEqual([0, 1]);
    expect(told(one({ precision: undefined }))).toEqual([0, 1]);
    expect(told(one({ precision: [50] }))).toEqual([0, 1]);
    expect(told(one({ labels: [] }))).toEqual([0, 1]);
    expect(told(one({ labels: ['b'] }))).toEqual([0, 1]);
    const both = inOrder([one({ labels: ['a', 'b'] }), one({ labels: ['a', 'c'] })]);
    expect([both.repeats, both.displaced.length]).toEqual([0, 1]);
    // An equal point counts as a repeat also where another one lies between it and the last.
    expect(told(one({}), one({ value: [2] }))).toEqual([1, 1]);
  });
});

describe('a refused value is shown', () => {
  test.each([
    ['text', '"text"'],
    [1.5, '1.5'],
    [12n, '12'],
    [null, 'null'],
    [[1, 2], '[1,2]'],
    [undefined, 'nothing'],
    [() => 1, 'function'],
    [new State('No Data', 248), 'No Data (248)'],
    [new State('No Data', undefined), 'No Data'],
  ])('%o as %s', (value, shown) => expect(rawText(value)).toBe(shown));

  test('in at most 200 characters', () => {
    expect(rawText('x'.repeat(500))).toBe(`"${'x'.repeat(RAW_LENGTH - 1)}`);
    expect(rawText(Array(500).fill(1))).toBe(JSON.stringify(Array(500).fill(1)).slice(0, RAW_LENGTH));
  });
});
