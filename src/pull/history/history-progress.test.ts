import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../core/instant.ts';
import type { Window } from '../../core/window.ts';
import { firstTurnAt, nextAsk, noteDone, noteFresh, noteTaken, restsUntil, servedBy } from './history-progress.ts';
import type { Ask, RunState } from './history-progress.ts';
import type { OpenSource } from '../open/open-source.ts';
import type { Wish } from './wishes.ts';

// Windows of at most 100, up to the edge at 1,000. Live has the newest 100 of missing time that reaches the edge.
const NOW = 1_000;
const ALL = { from: 0, to: NOW };
const policy = { start: 0, settle: 0, align: 1, overlap: 0, maxWindow: 100 };

/** Whose turn it is. */
const [GAP, OLD, BACKFILL, OLD_AGAIN] = [0, 1, 2, 3];

const sourceOf = (catchUp: 'newest' | 'oldest' = 'newest', settle = 0): OpenSource =>
  ({ policy: { ...policy, settle }, config: { schedule: { catchUp } } }) as unknown as OpenSource;

const time = (from: number, to: number): Window => ({ from, to });

const runOf = (more: Partial<RunState> = {}): RunState => ({
  begun: NOW,
  covered: [],
  learned: { length: 100 },
  wishes: [],
  unreadable: [],
  lookAgain: [],
  looksNoted: 0,
  underWay: new Set(),
  turn: GAP,
  ...more,
});

const wishOf = (id: number, range: Window, more: Partial<Wish> = {}): Wish => ({
  id,
  range,
  wanted: [range],
  order: 'oldest',
  again: false,
  done: [],
  ...more,
});

const unreadableOf = (from: number, to: number, retryAt = 0) => ({ from, to, tries: 1, retryAt });

describe('a run asks for', () => {
  it('missing time in the order of the source, and not for what is under way or unreadable', () => {
    const window = (source: OpenSource, run: RunState) => nextAsk(source, run, NOW)?.window;
    expect(window(sourceOf('newest'), runOf())).toEqual({ from: 800, to: 900 });
    expect(window(sourceOf('oldest'), runOf())).toEqual({ from: 0, to: 100 });
    expect(window(sourceOf('oldest'), runOf({ learned: { length: 30 } }))).toEqual({ from: 0, to: 30 });
    expect(window(sourceOf('oldest'), runOf({ underWay: new Set([{ window: { from: 0, to: 100 } }]) }))).toEqual({
      from: 100,
      to: 200,
    });
    const unreadable = [unreadableOf(0, 50, NOW + 1)];
    expect(window(sourceOf('oldest'), runOf({ unreadable }))).toEqual({ from: 50, to: 150 });
    expect(nextAsk(sourceOf(), runOf({ covered: [ALL] }), NOW)).toBeUndefined();
  });

  it('the missing time of the oldest wish that has some, oldest first, and for catch-up where none has', () => {
    const wishes = [wishOf(1, { from: 300, to: 350 }), wishOf(2, { from: 500, to: 700 })];
    const ask = (covered: readonly Window[]) => nextAsk(sourceOf(), runOf({ wishes, covered, turn: BACKFILL }), NOW);
    expect(ask([])).toEqual({ window: { from: 300, to: 350 }, wish: wishes[0] });
    expect(ask([{ from: 300, to: 350 }])).toEqual({ window: { from: 500, to: 600 }, wish: wishes[1] });
    expect(ask([{ from: 300, to: 700 }])).toEqual({ window: { from: 800, to: 900 }, wish: undefined });
  });

  it('gaps and backfills in turns, and goes on where there is none of the other kind', () => {
    const wish = wishOf(1, { from: -9_000, to: -500 });
    const ask = (turn: number, more: Partial<RunState> = {}) =>
      nextAsk(sourceOf(), runOf({ wishes: [wish], turn, ...more }), NOW);
    const gap = { window: { from: 800, to: 900 }, wish: undefined };
    const backfill = { window: { from: -9_000, to: -8_900 }, wish };
    expect([GAP, OLD, BACKFILL, OLD_AGAIN, 4].map((turn) => ask(turn))).toEqual([gap, gap, backfill, backfill, gap]);
    expect(ask(GAP, { covered: [ALL] })).toEqual(backfill);
    expect(ask(BACKFILL, { wishes: [] })).toEqual(gap);
  });

  it('a gap that a backfill with --what all would ask for once more as a part of that backfill', () => {
    const wish = (range: Window, again: boolean) => wishOf(1, range, { again });
    const asked = (given: Wish) => nextAsk(sourceOf(), runOf({ wishes: [given] }), NOW)?.wish;
    expect(asked(wish(ALL, true))).toEqual(wish(ALL, true));
    expect(asked(wish(ALL, false))).toBeUndefined();
    expect(asked(wish({ from: 850, to: NOW }, true))).toBeUndefined();
  });

  it('each kind first in runs of five minutes, so that runs of one window take turns, too', () => {
    const turns = [0, 1, 2, 3].map((place) => [
      firstTurnAt(place * 5 * MINUTE),
      firstTurnAt((place + 1) * 5 * MINUTE - 1),
    ]);
    expect(turns).toEqual([
      [GAP, GAP],
      [OLD, OLD],
      [BACKFILL, BACKFILL],
      [OLD_AGAIN, OLD_AGAIN],
    ]);
  });

  it('the time that a wish with --what all has not done, also where it is covered', () => {
    const wish = wishOf(1, { from: 300, to: 500 }, { again: true, done: [{ from: 300, to: 420 }] });
    const run = runOf({ covered: [ALL], wishes: [wish] });
    expect(nextAsk(sourceOf(), run, NOW)).toEqual({ window: { from: 420, to: 500 }, wish });
  });

  it('time that settles during the run no more for a wish, and for catch-up as it does', () => {
    const run = runOf({ covered: [ALL], wishes: [wishOf(1, { from: 0, to: 2_000 })] });
    expect(nextAsk(sourceOf(), run, 1_250)).toEqual({ window: { from: 1_050, to: 1_150 }, wish: undefined });
  });
});

describe('time to ask for once more', () => {
  it('takes turns with missing time, and goes on where there is none of the other kind', () => {
    const run = { lookAgain: [{ from: 100, to: 150 }], covered: [{ from: 0, to: 500 }] };
    const old = { window: { from: 100, to: 150 }, wish: undefined };
    const missing = { window: { from: 800, to: 900 }, wish: undefined };
    expect(nextAsk(sourceOf(), runOf(run), NOW)).toEqual(missing);
    expect(nextAsk(sourceOf(), runOf({ ...run, turn: OLD }), NOW)).toEqual(old);
    expect(nextAsk(sourceOf(), runOf({ ...run, turn: OLD, lookAgain: [] }), NOW)).toEqual(missing);
    expect(nextAsk(sourceOf(), runOf({ ...run, covered: [ALL] }), NOW)).toEqual(old);
  });

  it('is unreadable time that is due, and then covered time that late data may have come into, oldest first', () => {
    const run = {
      covered: [
        { from: 150, to: 250 },
        { from: 300, to: NOW },
      ],
      lookAgain: [
        { from: 100, to: 220 },
        { from: 400, to: 420 },
      ],
      unreadable: [unreadableOf(20, 80)],
      turn: OLD,
    };
    const windows: Window[] = [];
    const underWay = new Set<Ask>();
    for (;;) {
      const ask = nextAsk(sourceOf(), runOf({ ...run, underWay }), NOW);
      if (ask === undefined || windows.length === 3) break;
      windows.push(ask.window);
      underWay.add(ask);
    }
    expect(windows).toEqual([
      { from: 20, to: 80 },
      { from: 150, to: 220 },
      { from: 400, to: 420 },
    ]);
  });

  it('is no unreadable time before the start, nor after the edge, but in the range of a running backfill', () => {
    const source = { ...sourceOf(), policy: { ...policy, start: 100 } };
    const unreadable = [unreadableOf(20, 80), unreadableOf(90, 110), unreadableOf(990, 1_010)];
    const asked = (wishes: readonly Wish[]) => {
      const underWay = new Set<Ask>();
      const run = runOf({ covered: [ALL], unreadable, wishes, underWay });
      for (let ask = nextAsk(source, run, NOW); ask; ask = nextAsk(source, run, NOW)) underWay.add(ask);
      return [...underWay].map(({ window }) => window).toSorted((one, other) => one.from - other.from);
    };
    const inside = [
      { from: 100, to: 110 },
      { from: 990, to: NOW },
    ];
    expect(asked([])).toEqual(inside);
    const wishes = [wishOf(1, { from: 50, to: 70 }), wishOf(2, { from: 995, to: 2_000 })];
    expect(asked(wishes)).toEqual([{ from: 50, to: 70 }, ...inside]);
    const rests = (given: readonly Wish[]) =>
      restsUntil(source, runOf({ covered: [ALL], unreadable: [unreadableOf(20, 80, 1_100)], wishes: given }), NOW);
    expect(rests([])).toBeUndefined();
    expect(rests(wishes.slice(0, 1))).toBe(1_100);
  });

  it('is asked for in windows of the learned length', () => {
    const run = { covered: [ALL], unreadable: [unreadableOf(20, 80)], learned: { length: 25 } };
    expect(nextAsk(sourceOf(), runOf(run), NOW)?.window).toEqual({ from: 20, to: 45 });
    const lookAgain = [{ from: 100, to: 200 }];
    expect(nextAsk(sourceOf(), runOf({ ...run, unreadable: [], lookAgain }), NOW)?.window).toEqual({
      from: 100,
      to: 125,
    });
  });
});

it('a window that was read is covered, looked at, and done for each wish that also asks for it', () => {
  const again = { again: true };
  const wishes = [
    wishOf(1, ALL, again),
    wishOf(2, ALL, { ...again, done: [{ from: 0, to: 10 }] }),
    wishOf(3, { from: 500, to: NOW }, again),
    wishOf(4, ALL),
  ];
  const run = runOf({ wishes, covered: [{ from: 0, to: 10 }], lookAgain: [{ from: 0, to: 30 }] });
  const window = { from: 10, to: 20 };
  const served = servedBy({ window, wish: wishes[1] }, run);
  expect(served.map(({ id }) => id)).toEqual([2, 1]);
  noteDone(run, window, served);
  expect(run).toEqual(
    runOf({
      covered: [{ from: 0, to: 20 }],
      lookAgain: [time(0, 10), time(20, 30)],
      wishes: [
        wishOf(1, ALL, { ...again, done: [window] }),
        wishOf(2, ALL, { ...again, done: [{ from: 0, to: 20 }] }),
        ...wishes.slice(2),
      ],
    }),
  );
});

it('what the database has now leaves what windows of this run did meanwhile', () => {
  const looks = [time(0, 30), time(500, 600)];
  const wishes = [wishOf(1, ALL, { done: [time(0, 10)] }), wishOf(2, ALL)];
  const run = runOf({ covered: [ALL], wishes, lookAgain: looks });
  noteDone(run, time(10, 30), wishes.slice(0, 1));
  const fresh = { wishes: [wishOf(1, ALL, { done: [time(0, 20)] }), wishOf(3, ALL)], stream: undefined };
  noteFresh(run, looks, fresh);
  const known = { covered: [ALL], wishes: [wishOf(1, ALL, { done: [time(0, 30)] }), wishOf(3, ALL)] };
  expect(run).toEqual(runOf({ ...known, lookAgain: [time(0, 10), time(500, 600)] }));
  const unreadable = [unreadableOf(40, 50)];
  noteFresh(run, looks, { ...fresh, stream: { unreadable, lookAgain: [time(0, 700)], looksNoted: 3 } });
  expect(run).toEqual(runOf({ ...known, unreadable, looksNoted: 3, lookAgain: [time(0, 10), time(30, 700)] }));
});

describe('a wish', () => {
  const at = (wish: Wish, more: Partial<RunState> = {}) =>
    nextAsk(sourceOf(), runOf({ covered: [{ from: 600, to: NOW }], wishes: [wish], turn: BACKFILL, ...more }), NOW);

  it('asks for the parts of its range that are wanted, in its order', () => {
    const wanted = [
      { from: 10, to: 40 },
      { from: 300, to: 320 },
    ];
    const wish = wishOf(1, ALL, { wanted });
    expect(at(wish)?.window).toEqual(wanted[0]);
    expect(at({ ...wish, order: 'newest' })?.window).toEqual(wanted[1]);
    expect(at(wish, { covered: [{ from: 0, to: 305 }] })?.window).toEqual({ from: 305, to: 320 });
    expect(at(wish, { covered: [ALL] })).toBeUndefined();
    expect(at(wishOf(1, ALL, { wanted, again: true }), { covered: [ALL] })?.window).toEqual(wanted[0]);
  });

  it('asks as long as what a window needs is left for today, and goes on with the requests of the next day', () => {
    const budget = { left: 4, untouched: false, perWindow: 2, renewsAt: 5_000 };
    const wish = (left: number, untouched = false) =>
      wishOf(1, { from: -900, to: -100 }, { budget: { ...budget, left, untouched } });
    const all = { covered: [ALL] };
    expect(at(wish(2), all)?.wish?.id).toBe(1);
    expect(at(wish(1), all)).toBeUndefined();
    // A window that needs more than a day has is the first of its day.
    expect(at(wish(1, true), all)?.wish?.id).toBe(1);
    expect(at(wish(0, true), all)).toBeUndefined();
    expect(restsUntil(sourceOf(), runOf({ ...all, wishes: [wish(0)] }), NOW)).toBe(5_000);
    const run = runOf({ ...all, wishes: [wish(4)] });
    noteTaken(run, run.wishes[0] as Wish, NOW);
    expect(run.wishes[0]?.budget).toMatchObject({ left: 0, renewsAt: 5_000 });
    noteTaken(run, run.wishes[0] as Wish, 4_000 - MINUTE);
    expect(run.wishes[0]?.budget?.renewsAt).toBe(4_000);
  });

  it('without requests for today leaves unreadable time before the start alone', () => {
    const wish = wishOf(
      1,
      { from: -900, to: -100 },
      { budget: { left: 0, untouched: false, perWindow: 1, renewsAt: 5_000 } },
    );
    const run = { covered: [ALL], unreadable: [unreadableOf(-800, -700)] };
    expect(at(wish, run)).toBeUndefined();
    expect(at({ ...wish, budget: { left: 1, untouched: false, perWindow: 1, renewsAt: 5_000 } }, run)?.wish?.id).toBe(
      1,
    );
  });
});

describe('a run that has nothing to ask for is due again', () => {
  const later = { from: 0, to: 1_500 };
  const rests = (more: Partial<RunState>, now = NOW) => restsUntil(sourceOf('newest', 7), runOf(more), now);

  it('never, where no wish and no unreadable time is left', () => {
    expect(rests({})).toBeUndefined();
    expect(rests({ wishes: [wishOf(1, later)], covered: [later] })).toBeUndefined();
    expect(rests({ wishes: [wishOf(1, later, { again: true, done: [later] })] })).toBeUndefined();
    // A wish whose end had settled when the run began is not waited for.
    expect(rests({ wishes: [wishOf(1, { from: 0, to: NOW - 7 })] })).toBeUndefined();
  });

  it('when the end of the first wish settles', () => {
    const wishes = [wishOf(1, { from: 0, to: 1_700 }), wishOf(2, later)];
    expect(rests({ wishes })).toBe(1_507);
    expect(rests({ wishes: [wishOf(1, { from: 0, to: NOW - 6 })] })).toBe(NOW + 1);
    expect(rests({ wishes: [wishOf(1, later, { again: true })], covered: [later] })).toBe(1_507);
  });

  it('when unreadable time is tried again, and after half an hour at the latest', () => {
    const unreadable = [unreadableOf(0, 5, 1_200), unreadableOf(7, 9, 1_100)];
    expect(rests({ unreadable })).toBe(1_100);
    expect(rests({ unreadable, wishes: [wishOf(1, { from: 0, to: 1_050 })] })).toBe(1_057);
    expect(rests({ unreadable: [unreadableOf(0, 5, 1_000 * MINUTE)] })).toBe(NOW + 30 * MINUTE);
  });
});
