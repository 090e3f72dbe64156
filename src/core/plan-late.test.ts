import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coverageOf, covers, equal, intersect, subtract, totalLength, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { edgeOf, plan } from './plan.ts';
import type { Policy } from './plan.ts';
import { scene } from '../../test/kit/plan-scenes.ts';
import type { Window } from './window.ts';

/** Late data: which time is asked again, also when a run or a process ends in between. */

const check = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: 1_000 });

test('live asks again for a point that comes up to the overlap late, and looks back only a few times in every overlap', () => {
  const overlap = 5 * MINUTE;
  const daily: Policy = { start: 0, settle: 30 * SECOND, align: SECOND, overlap, maxWindow: DAY };
  const every = 7 * SECOND;
  let coverage: Coverage = [{ from: 0, to: HOUR }];
  const lastAsked = new Map<number, number>();
  const probes = Array.from({ length: 100 }, (_, index) => HOUR + index * 5 * SECOND);
  let lookBacks = 0;
  for (let now = HOUR + 31 * SECOND; now < 2 * HOUR; now += every) {
    const end = coverage.at(-1)?.to ?? 0;
    const windows = plan({ policy: daily, coverage, now, lane: 'live', learned: HOUR });
    if (windows.some((window) => window.from < end)) lookBacks += 1;
    for (const probe of probes) {
      if (windows.some((window) => probe >= window.from && probe < window.to)) lastAsked.set(probe, edgeOf(daily, now));
    }
    coverage = union(coverage, windows);
  }
  expect(coverage).toHaveLength(1);
  for (const probe of probes) expect((lastAsked.get(probe) ?? 0) - probe).toBeGreaterThanOrEqual(overlap - every);
  expect(lookBacks).toBeLessThanOrEqual((4 * HOUR) / overlap + 1);
});

test('after a downtime live takes the newest window, and history fills the rest and asks the overlap once', () => {
  const policyOfDay: Policy = { start: 0, settle: 0, align: MINUTE, overlap: 10 * MINUTE, maxWindow: DAY };
  const request = { policy: policyOfDay, now: 30 * HOUR, learned: HOUR };
  let coverage: Coverage = [{ from: 0, to: 20 * HOUR }];
  const live = plan({ ...request, coverage, lane: 'live' });
  expect(live).toEqual([{ from: 29 * HOUR, to: 30 * HOUR }]);
  coverage = union(coverage, live);
  let again = 0;
  for (let windows = plan({ ...request, coverage, lane: 'history', limit: 1 }); windows.length > 0;) {
    again += totalLength(intersect(coverage, windows[0] ?? { from: 0, to: 0 }));
    coverage = union(coverage, windows);
    windows = plan({ ...request, coverage, lane: 'history', limit: 1 });
  }
  expect(coverage).toEqual([{ from: 0, to: 30 * HOUR }]);
  expect(again).toBe(10 * MINUTE);
});

test('an overlap up to half a window is asked once and whole, even where one window is planned at a time', () =>
  check(
    fc.property(scene, fc.integer({ min: 1, max: 400 }), (given, downtime) => {
      const { maxWindow, overlap, start } = given.policy;
      const half = Math.floor(Math.min(given.learned, maxWindow) / 2);
      const policyOfHalf = { ...given.policy, overlap: Math.min(overlap, half) };
      const end = start + 100;
      const now = end + downtime + given.policy.settle + given.policy.align;
      const edge = edgeOf(policyOfHalf, now);
      let coverage: Coverage = [{ from: start, to: end }];
      let again = 0;
      for (const which of ['live', 'history'] as const) {
        const next = (): Window[] =>
          plan({
            ...given,
            policy: policyOfHalf,
            now,
            coverage,
            lane: which,
            ...(which === 'history' && { limit: 1 }),
          });
        for (let windows = next(); windows.length > 0; windows = next()) {
          again += totalLength(windows) - totalLength(subtract(windows, coverage));
          coverage = union(coverage, windows);
        }
      }
      expect(coverage).toEqual([{ from: start, to: edge }]);
      const inLive = end >= edge - Math.min(given.learned, maxWindow);
      if (!inLive) expect(again).toBe(Math.min(policyOfHalf.overlap, 100));
    }),
  ));

test('an overlap longer than a window shares a window with new time, and its rest comes last', () => {
  const long: Policy = { start: 0, settle: 0, align: MINUTE, overlap: 2 * HOUR, maxWindow: HOUR };
  const coverage = coverageOf([
    { from: 0, to: 20 * HOUR },
    { from: 21 * HOUR, to: 30 * HOUR },
  ]);
  const windows = plan({ policy: long, coverage, now: 30 * HOUR, lane: 'history', learned: HOUR });
  expect(windows.map(({ from, to }) => [from / HOUR, to / HOUR])).toEqual([
    [20.5, 21],
    [19.5, 20.5],
    [18.5, 19.5],
    [18, 18.5],
  ]);
});

test('with askedAgain, history asks for the whole overlap once before it closes the stretch', () =>
  check(
    fc.property(
      scene,
      fc.integer({ min: 1, max: 400 }),
      fc.array(fc.nat(3), { minLength: 1, maxLength: 8 }),
      fc.nat(1),
      fc.constantFrom('newest' as const, 'oldest' as const),
      (given, gap, picks, bit, order) => {
        const { start, overlap } = given.policy;
        const [from, to] = [start + 200, start + 200 + gap];
        // Live is far ahead and may have a new edge to ask for, so only history asks for the stretch.
        const now = to + 1_000 + given.policy.settle + given.policy.align;
        const edge = edgeOf(given.policy, now);
        let coverage = coverageOf([
          { from: start, to: from },
          { from: to, to: edge - bit },
        ]);
        let done: Coverage = [];
        let closedWith: Coverage | undefined;
        const underWay: Window[] = [];
        for (;;) {
          while (underWay.length < 3) {
            const asking = coverageOf(underWay);
            const request = { ...given, now, lane: 'history' as const, order, coverage, limit: 1 };
            const [window] = plan({ ...request, underWay: asking, askedAgain: done });
            if (window === undefined) break;
            expect(intersect(union(done, asking), window)).toEqual([]);
            underWay.push(window);
          }
          // Answers come in any order.
          const [window] = underWay.splice((picks[done.length % picks.length] ?? 0) % Math.max(1, underWay.length), 1);
          if (window === undefined) break;
          done = union(done, [window]);
          coverage = union(coverage, [window]);
          if (covers(coverage, { from, to: from + 1 })) closedWith ??= done;
        }
        expect(coverage).toEqual([{ from: start, to: edge - bit }]);
        const late = { from: Math.max(start, from - overlap), to: from };
        expect(subtract(late.from < late.to ? [late] : [], closedWith ?? [])).toEqual([]);
        expect(equal(done, coverageOf([{ from: Math.min(late.from, from), to }]))).toBe(true);
      },
    ),
  ));

test('oldest first asks for the overlap apart from new time, so that an unreadable overlap does not hold up new time', () => {
  const policy: Policy = { start: 0, settle: 0, align: MINUTE, overlap: 10 * MINUTE, maxWindow: DAY };
  const coverage = [{ from: 0, to: 20 * HOUR }];
  const request = {
    policy,
    coverage,
    now: 30 * HOUR,
    learned: HOUR,
    lane: 'history' as const,
    order: 'oldest' as const,
  };
  const late = { from: 20 * HOUR - 10 * MINUTE, to: 20 * HOUR };
  expect(plan({ ...request, askedAgain: [], limit: 2 })).toEqual([late, { from: 20 * HOUR, to: 21 * HOUR }]);
  expect(plan({ ...request, askedAgain: [late], limit: 1 })).toEqual([{ from: 20 * HOUR, to: 21 * HOUR }]);
});

test('after a process ended between two live windows, the next plan still looks back', () =>
  check(
    fc.property(scene, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 6 }), (given, later, taken) => {
      const { start, overlap } = given.policy;
      const coverage = coverageOf([{ from: start, to: start + 300 }]);
      const now = start + 300 + later + given.policy.settle;
      const cut = plan({ ...given, now, coverage, lane: 'live' }).slice(0, taken);
      const asked = coverageOf(cut);
      const after = union(coverage, asked);
      // The time before the end of the coverage was asked again, or the next plan asks for it.
      const end = after.at(-1)?.to ?? 0;
      if (after.length > 1 || end === start + 300) return;
      const step = Math.max(given.policy.align, Math.ceil(overlap / 4));
      if (Math.floor((start + 300) / step) === Math.floor(edgeOf(given.policy, now) / step)) return;
      const late = { from: Math.max(start, start + 300 - overlap), to: start + 300 };
      if (late.from < late.to) expect(subtract([late], asked)).toEqual([]);
    }),
  ));

test('without an overlap no covered time is asked for again', () => {
  const policy: Policy = { start: 0, settle: 0, align: MINUTE, overlap: 0, maxWindow: DAY };
  const request = { policy, coverage: [{ from: 0, to: 20 * HOUR }], learned: HOUR };
  expect(plan({ ...request, now: 20 * HOUR + MINUTE, lane: 'live' })).toEqual([
    { from: 20 * HOUR, to: 20 * HOUR + MINUTE },
  ]);
});

describe('the window that holds the overlap and new time', () => {
  const history = (policy: Partial<Policy>, from: number, to: number): Window[] =>
    plan({
      policy: { start: 0, settle: 0, align: MINUTE, overlap: 15 * MINUTE, maxWindow: HOUR, ...policy },
      coverage: coverageOf([
        { from: 0, to: from },
        { from: to, to: 30 * HOUR },
      ]),
      now: 30 * HOUR,
      learned: HOUR,
      lane: 'history',
    });

  test('ends on the grid', () => {
    const from = 20 * HOUR + 30 * SECOND;
    expect(history({}, from, 21 * HOUR)).toEqual([
      { from: 20 * HOUR + 45 * MINUTE, to: 21 * HOUR },
      { from: from - 15 * MINUTE, to: 20 * HOUR + 45 * MINUTE },
    ]);
  });

  test('closes a stretch whose end it reaches, off the grid too', () => {
    const from = 20 * HOUR + 30 * SECOND;
    expect(history({}, from, from + 45 * MINUTE)).toEqual([{ from: from - 15 * MINUTE, to: from + 45 * MINUTE }]);
  });

  test.each([0, 10 * MINUTE])(
    'ends off the grid where it would hold no new time otherwise: %i µs after it',
    (after) => {
      const from = 20 * HOUR + after;
      expect(history({ align: HOUR }, from, 21 * HOUR).at(-1)).toEqual({
        from: from - 15 * MINUTE,
        to: from + 45 * MINUTE,
      });
    },
  );
});

test('with askedAgain, one plan without a limit holds the stretch and the whole overlap', () => {
  const policy: Policy = { start: 0, settle: 0, align: MINUTE, overlap: 2 * HOUR, maxWindow: HOUR };
  const coverage = coverageOf([
    { from: 0, to: 20 * HOUR },
    { from: 21 * HOUR, to: 30 * HOUR },
  ]);
  const windows = plan({ policy, coverage, now: 30 * HOUR, lane: 'history', learned: HOUR, askedAgain: [] });
  expect(coverageOf(windows)).toEqual([{ from: 18 * HOUR, to: 21 * HOUR }]);
  expect(totalLength(windows)).toBe(3 * HOUR);
});
