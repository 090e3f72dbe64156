import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatWindow, holds, lengthOf } from './window.ts';
import { answerFor, questionFor } from './question.ts';
import type { Bound, QuestionFacts } from './question.ts';

const bound = fc.constantFrom<Bound>('inclusive', 'exclusive', 'unknown');
const facts = fc.record({
  bounds: fc.record({ from: bound, to: bound }),
  resolution: fc.constantFrom(1, 1_000, 1_000_000),
});
const window = fc
  .record({ from: fc.integer({ min: -5e9, max: 9e15 }), length: fc.integer({ min: 1, max: 9e9 }) })
  .map(({ from, length }) => ({ from, to: from + length }));

/** What a platform answers that treats its bounds as it says, or either way where it does not say. */
function isAnswered(at: number, asked: { from: number; to: number }, bounds: QuestionFacts['bounds'], luck: boolean) {
  const takes = (edge: Bound): boolean => edge === 'inclusive' || (edge === 'unknown' && luck);
  return (
    (at > asked.from || (at === asked.from && takes(bounds.from))) &&
    (at < asked.to || (at === asked.to && takes(bounds.to)))
  );
}

test('a question brings every point of the window, in whole steps, and at most three steps more', () => {
  fc.assert(
    fc.property(window, facts, fc.boolean(), (wanted, given, luck) => {
      const { bounds, resolution } = given;
      const asked = questionFor(wanted, given);
      const { from, to } = asked;
      expect([from % resolution, to % resolution].map(Math.abs)).toEqual([0, 0]);
      const points = [-1, 0, 1].flatMap((step) => [wanted.from, wanted.to, from, to].map((at) => at + step));
      for (const at of points) {
        if (holds(wanted, at)) expect(isAnswered(at, asked, bounds, luck), formatWindow(wanted)).toBe(true);
        if (isAnswered(at, asked, bounds, luck)) expect(holds(answerFor(wanted, given), at)).toBe(true);
      }
      expect(lengthOf(asked) - lengthOf(wanted)).toBeLessThan(3 * resolution);
    }),
  );
});

test('a platform with our own bounds and steps is asked for the window', () => {
  const given: QuestionFacts = { bounds: { from: 'inclusive', to: 'exclusive' }, resolution: 1_000 };
  const wanted = { from: 5_000, to: 8_000 };
  expect(questionFor(wanted, given)).toEqual(wanted);
  expect(answerFor(wanted, given)).toEqual(wanted);
  expect(questionFor({ from: 5_001, to: 7_001 }, given)).toEqual(wanted);
});

test('a start that may be left out is asked one step earlier', () => {
  const given: QuestionFacts = { bounds: { from: 'exclusive', to: 'inclusive' }, resolution: 1_000 };
  expect(questionFor({ from: 5_000, to: 8_000 }, given)).toEqual({ from: 4_000, to: 8_000 });
  expect(answerFor({ from: 5_000, to: 8_000 }, given)).toEqual({ from: 4_000, to: 9_000 });
});
