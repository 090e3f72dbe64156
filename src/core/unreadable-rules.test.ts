import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { afterRead, afterUnread, isKnownInstant, nextRetryAt, windowToRetry } from './unreadable.ts';
import type { Unreadable } from './unreadable.ts';
import type { Window } from './window.ts';

const now = 10 * DAY;
const circumstances = { now, minWindow: SECOND };
const seconds = (from: number, to: number): Window => ({ from: from * SECOND, to: to * SECOND });
const stretch = (from: number, to: number, more: Partial<Unreadable> = {}): Unreadable => ({
  ...seconds(from, to),
  tries: 1,
  retryAt: now,
  ...more,
});

describe('a window that could not be read', () => {
  test.each([
    [10, [seconds(0, 5), seconds(5, 10)]],
    [3, [seconds(0, 2), seconds(2, 3)]],
    [2, [seconds(0, 1), seconds(1, 2)]],
  ])('of %i s is halved on the grid of the shortest window, and asked for again at once', (length, halves) => {
    const expected = halves.map((half) => ({ ...half, tries: 1, retryAt: now }));
    expect(afterUnread([], seconds(0, length), circumstances)).toEqual(expected);
  });

  test('that is too short for two halves waits twice as long after each failure, up to six hours', () => {
    let stretches: readonly Unreadable[] = [];
    const waits = Array.from({ length: 12 }, () => {
      stretches = afterUnread(stretches, seconds(0, 1.9), circumstances);
      return ((stretches[0]?.retryAt ?? 0) - now) / MINUTE;
    });
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    expect(stretches).toEqual([stretch(0, 1.9, { tries: 12, retryAt: now + 6 * HOUR })]);
  });

  test.each([
    [2, 0],
    [3, 0.5],
    [4, 1],
  ])('and had failed %i times before has its halves wait %i minutes', (tries, minutes) => {
    const before = [stretch(0, 8, { tries: 1 }), stretch(8, 16, { tries }), stretch(20, 24, { tries: 9 })];
    const halves = { tries: tries + 1, retryAt: now + minutes * MINUTE };
    expect(afterUnread(before, seconds(4, 12), circumstances)).toEqual([
      stretch(0, 4, { tries: 1 }),
      stretch(4, 8, halves),
      stretch(8, 12, halves),
      stretch(12, 16, { tries }),
      before[2],
    ]);
  });
});

describe('a stream with 500 stretches', () => {
  const stretches = Array.from({ length: 500 }, (_, place) => stretch(place * 100, place * 100 + 4));

  test('halves none of them any more', () => {
    expect(afterUnread(stretches.slice(1), stretches[7] as Window, circumstances)).toHaveLength(500);
    const after = afterUnread(stretches, stretches[7] as Window, circumstances);
    expect(after.map(({ from, to }) => ({ from, to }))).toEqual(stretches.map(({ from, to }) => ({ from, to })));
    expect(after[7]).toEqual({ ...stretches[7], tries: 2, retryAt: now + MINUTE });
  });

  test('joins those that make the shortest one, which keeps the longer wait and the larger number of tries', () => {
    const near = stretch(710, 713);
    const failed = { tries: 6, retryAt: now + HOUR };
    const after = afterUnread(
      stretches.map((each, place) => (place === 7 ? { ...each, ...failed } : each)),
      near,
      circumstances,
    );
    expect(after).toHaveLength(500);
    expect(after.slice(6, 9)).toEqual([stretches[6], stretch(700, 713, failed), stretches[8]]);
    const [later] = afterUnread(
      stretches.map((each, place) => (place === 0 ? { ...each, tries: 0, retryAt: 0 } : each)),
      seconds(6, 7),
      circumstances,
    );
    expect(later).toEqual(stretch(0, 7, { tries: 1, retryAt: now + 30 * SECOND }));
  });
});

test('where a window was read, longer stretches within its own length of it are asked for again at once', () => {
  const waits = { tries: 5, retryAt: now + HOUR };
  const stretches = [
    stretch(0, 89, waits),
    stretch(89, 90, waits),
    stretch(90, 90.5, waits),
    stretch(90.5, 95, waits),
    stretch(98, 104, waits),
    stretch(110, 112, waits),
    stretch(120, 125, waits),
    stretch(121, 125, waits),
  ];
  const again = { tries: 0, retryAt: now };
  expect(afterRead(stretches, seconds(100, 110), circumstances)).toEqual([
    stretches[0],
    stretches[1],
    stretches[2],
    stretch(90.5, 95, again),
    stretch(98, 100, again),
    stretch(110, 112, again),
    stretch(120, 125, again),
    stretches[7],
  ]);
  expect(afterRead([stretch(0, 90, waits)], seconds(100, 110), circumstances)).toEqual([stretch(0, 90, again)]);
});

describe('the window to ask for again', () => {
  const given = { now, length: 5 * SECOND, underWay: [] };

  test('is the begin of the longest stretch that is due, of several as long the oldest', () => {
    const stretches = [stretch(0, 4), stretch(10, 20), stretch(30, 40), stretch(50, 90, { retryAt: now + 1 })];
    expect(windowToRetry(stretches, given)).toEqual(seconds(10, 15));
    expect(windowToRetry(stretches.toReversed(), given)).toEqual(seconds(10, 15));
    expect(windowToRetry(stretches, { ...given, underWay: [seconds(12, 13)] })).toEqual(seconds(30, 35));
    expect(windowToRetry(stretches.slice(0, 1), given)).toEqual(seconds(0, 4));
    expect(windowToRetry(stretches.slice(3), given)).toBeUndefined();
  });

  test('does not wait for longer than any wait that is ever set', () => {
    const waits = (length: number) => windowToRetry([stretch(0, 1, { retryAt: now + length })], given);
    expect(waits(6 * HOUR)).toBeUndefined();
    expect(waits(6 * HOUR + 1)).toEqual(seconds(0, 1));
  });
});

test('the next retry is that of the stretch that waits least', () => {
  expect(nextRetryAt([])).toBeUndefined();
  expect(nextRetryAt([stretch(0, 1, { retryAt: now + 2 }), stretch(2, 3, { retryAt: now + 1 })])).toBe(now + 1);
});

test.each([
  [seconds(10, 11), true],
  [seconds(10, 11.9), true],
  [seconds(10, 12), false],
  [seconds(20, 21), false],
])('a failure of %o says nothing new where 10 s to 12 s are unreadable: %s', (window, known) => {
  expect(isKnownInstant([stretch(10, 12)], window, SECOND)).toBe(known);
});
