import { expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../core/instant.ts';
import { setBackWatch } from './set-back.ts';

const BEGIN = 1_000 * HOUR;

/** What a watch answers to these offsets, ten seconds apart. */
function answersTo(...offsets: readonly number[]) {
  const watch = setBackWatch();
  return offsets.map((offset, place) => watch(offset, BEGIN + place * 10 * SECOND));
}

it('tells since when a clock that was set back had been ahead, however long ago that was', () => {
  const ahead = Array.from({ length: 100 }, () => 3 * MINUTE);
  expect(answersTo(0, 0, ...ahead, 0, 0).filter(Boolean)).toEqual([
    { since: BEGIN + 10 * SECOND + 3 * MINUTE, by: 3 * MINUTE },
  ]);
});

it('tells the time since its start where the clock was ahead all the time', () => {
  expect(answersTo(5 * SECOND, 5 * SECOND, 0)).toEqual([
    undefined,
    undefined,
    { since: BEGIN + 5 * SECOND, by: 5 * SECOND },
  ]);
});

it('goes back through several steps at once, and no further than the clock was set', () => {
  const first = { since: BEGIN + 5 * SECOND, by: MINUTE };
  expect(answersTo(0, 5 * SECOND, MINUTE + 5 * SECOND, 5 * SECOND)[3]).toEqual({
    since: BEGIN + 10 * SECOND + MINUTE + 5 * SECOND,
    by: MINUTE,
  });
  expect(answersTo(0, 5 * SECOND, MINUTE, 0)[3]).toEqual(first);
  expect(answersTo(0, MINUTE, 30 * SECOND, 0)).toMatchObject([
    undefined,
    undefined,
    { by: 30 * SECOND },
    { by: 30 * SECOND },
  ]);
});

it('says nothing of clocks that drift, are slowed down or are put forward', () => {
  const drift = Array.from({ length: 50 }, (_, place) => place * SECOND);
  expect(answersTo(...drift, ...drift.toReversed()).filter(Boolean)).toEqual([]);
  expect(answersTo(0, MINUTE, HOUR, HOUR - SECOND).filter(Boolean)).toEqual([]);
});
