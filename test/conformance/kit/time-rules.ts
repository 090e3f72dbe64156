import fc from 'fast-check';
import { expect } from 'vitest';
import type { Window } from '../../../src/core/window.ts';
import { onGround } from './on-ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { differences, expectTruth, truthIn } from './oracle.ts';
import { read, streamsOf } from './reading.ts';
import type { Outcome } from './reading.ts';
import type { Subject } from './subject.ts';
import { NOW, deviceOfKeys, numbersAt, pointAt, spread, truthOf, windowOf } from './truths.ts';

/** Instants at and beside both ends of a window, and far outside of it. */
function aroundEnds({ platform: { facts } }: Subject, { from, to }: Window): number[] {
  const tick = facts.resolution;
  const beside = [-2, -1, 0, 1, 2].flatMap((ticks) => [from + ticks * tick, to + ticks * tick]);
  return [...beside, from - 1000 * tick, to + 1000 * tick];
}

/** How much later a late point shows up, and a revised one changes. */
const LATE_MS = 60_000;

/** Points close together around a few places, where windows will be cut. */
const crowd = (from: number, tick: number, places: readonly number[]): number[] => [
  ...new Set(places.flatMap((place) => [-2, -1, 0, 1, 2].map((ticks) => from + (place + ticks) * tick))),
];

const joined = (parts: readonly Outcome[]): Outcome => ({
  rows: parts.flatMap(({ rows }) => rows),
  refused: new Map(),
  repeats: parts.reduce((sum, { repeats }) => sum + repeats, 0),
  outside: parts.reduce((sum, { outside }) => sum + outside, 0),
  failures: parts.flatMap(({ failures }) => failures),
  failedAlone: [],
});

/** Bounds and resolution. */
export const TIME_RULES: SubjectRules = {
  'points at and beside both ends of a window are in the right window': async (subject) => {
    const window = windowOf(subject);
    const truth = truthOf(subject, [numbersAt(aroundEnds(subject, window))]);
    await onGround(subject, { truth }, async (ground) => {
      expectTruth(subject, truth, window, await read(ground, window));
    });
  },

  'the shortest window holds its points and no others': async (subject) => {
    const { facts } = subject.platform;
    const { from } = windowOf(subject);
    const window = { from, to: from + facts.minWindow };
    const truth = truthOf(subject, [
      numbersAt(aroundEnds(subject, window).filter((at, n, all) => all.indexOf(at) === n)),
    ]);
    await onGround(subject, { truth }, async (ground) => {
      expectTruth(subject, truth, window, await read(ground, window));
    });
  },

  'windows that tile hold each point once': async (subject) => {
    const { resolution, minWindow } = subject.platform.facts;
    const { from } = windowOf(subject);
    const least = Math.ceil(minWindow / resolution);
    const lengths = fc.array(fc.integer({ min: least, max: least + 60 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(lengths, async (steps) => {
        const cuts = steps.reduce<number[]>((ends, step) => [...ends, (ends.at(-1) ?? 0) + step], [0]);
        const truth = truthOf(subject, [numbersAt(crowd(from, resolution, cuts))]);
        await onGround(subject, { truth }, async (ground) => {
          const streams = await streamsOf(ground);
          const parts: Outcome[] = [];
          for (const [index, cut] of cuts.slice(1).entries()) {
            const window = { from: from + (cuts[index] ?? 0) * resolution, to: from + cut * resolution };
            parts.push(await read(ground, window, { streams }));
          }
          const whole = { from, to: from + (cuts.at(-1) ?? 0) * resolution };
          expectTruth(subject, truth, whole, joined(parts));
        });
      }),
      { numRuns: 6, seed: 1 },
    );
  },

  'points that come late and points that are revised are read when they are asked for again': async (subject) => {
    const window = windowOf(subject);
    const afterMs = NOW / 1000 + LATE_MS;
    const [early = 0, late = 0, revised = 0] = spread(subject, window, 3);
    const truth = truthOf(subject, [
      [
        pointAt(early, 1),
        pointAt(late, 2, { shownFromMs: afterMs }),
        pointAt(revised, 3, { shownToMs: afterMs }),
        pointAt(revised, 4, { shownFromMs: afterMs }),
      ],
    ]);
    await onGround(subject, { truth }, async (ground) => {
      const streams = await streamsOf(ground);
      for (const nowMs of [NOW / 1000, afterMs]) {
        ground.clock.change({ nowMs });
        const outcome = await read(ground, window, { streams });
        expect(outcome.failures).toEqual([]);
        expect(differences(truthIn(subject, truth, window, nowMs), outcome)).toEqual([]);
      }
    });
  },

  'the keys of one device are read each, also one without points': async (subject) => {
    const window = windowOf(subject);
    const [first = [], second = []] = [0, 1].map((part) => spread(subject, window, 9).filter((_, n) => n % 2 === part));
    const [one, other] = [numbersAt(first), numbersAt(second).map((point) => ({ ...point, value: 100 }))];
    const truth = deviceOfKeys(subject, [one, other, [...one, ...other].toSorted((a, b) => a.ts - b.ts), []]);
    await onGround(subject, { truth }, async (ground) => {
      expectTruth(subject, truth, window, await read(ground, window));
    });
  },

  'a window without points is empty and not a failure': async (subject) => {
    const window = windowOf(subject);
    const { from, to } = window;
    const day = 24 * 3_600_000_000;
    const truth = truthOf(subject, [[pointAt(from - day, 1), pointAt(to + day, 2)]]);
    await onGround(subject, { truth }, async (ground) => {
      expectTruth(subject, truth, window, await read(ground, window));
    });
  },

  'a sensor that never had a point is empty or not listed': async (subject) => {
    const window = windowOf(subject);
    const truth = truthOf(subject, [[], numbersAt([window.from])]);
    await onGround(subject, { truth }, async (ground) => {
      expectTruth(subject, truth, window, await read(ground, window));
    });
  },

  'points of a platform with a clock an hour off are read': async (subject) => {
    const window = windowOf(subject);
    const truth = truthOf(subject, [numbersAt([window.from])]);
    for (const ahead of [-3_600_000_000, 3_600_000_000]) {
      await onGround(subject, { truth, ahead }, async (ground) => {
        expectTruth(subject, truth, window, await read(ground, window));
        expect(ground.simulator.recorder.log().filter(({ status }) => status === 401).length).toBeLessThanOrEqual(1);
      });
    }
  },
};
