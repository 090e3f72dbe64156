import { expect } from 'vitest';
import type { Window } from '../../../src/core/window.ts';
import type { TruthPoint, TruthSpec } from '../../../src/simulator/truth.ts';
import { expectFailure, onGround } from './on-ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { expectTruth } from './oracle.ts';
import { read, streamsOf } from './reading.ts';
import type { Subject } from './subject.ts';
import { numbersAt, pointAt, spread, truthOf, windowOf } from './truths.ts';

/** A page that the product lets be chosen is this long, so that a rule needs few points. */
const SMALL = 10;
/** Points of a long answer of a platform that has no pages. */
const LONG = 20_000;
/** The bridge asks fewer times than this before it sees that an answer repeats itself. */
const MANY_REQUESTS = 40;

interface Paged {
  /** Points of a page. */
  readonly cap: number;
  /** Given to `openGround`: the cap, where it can be chosen. */
  readonly options: { readonly cap?: number };
}

function pagesOf({ platform, product }: Subject): Paged {
  if (product.pagesOf !== undefined) return { cap: SMALL, options: { cap: SMALL } };
  return { cap: platform.facts.page.cap, options: {} };
}

/** A window that has room for `count` instants. */
function windowFor(subject: Subject, count: number): Window {
  const { facts } = subject.platform;
  const { from, to } = windowOf(subject);
  const length = Math.min(facts.maxWindow, Math.max(to - from, 2 * count * facts.resolution));
  return { from, to: from + length - (length % facts.resolution) };
}

async function readsWhole(
  subject: Subject,
  truth: TruthSpec,
  window: Window,
  options: Paged['options'],
): Promise<void> {
  await onGround(subject, { truth, ...options }, async (ground) => {
    expectTruth(subject, truth, window, await read(ground, window));
  });
}

const readsCount = (count: number) => async (subject: Subject) => {
  const { options } = pagesOf(subject);
  const window = windowFor(subject, count);
  await readsWhole(subject, truthOf(subject, [numbersAt(spread(subject, window, count))]), window, options);
};

/** `before` single points, then `together` at one instant, then `after` single ones. */
function withTogether(subject: Subject, window: Window, before: number, together: number, after: number): TruthPoint[] {
  const instants = spread(subject, window, before + after + 1);
  return instants.flatMap((at, index) =>
    Array.from({ length: index === before ? together : 1 }, (_, twin) => pointAt(at, index + twin / 1024)),
  );
}

/** What follows from pages and order. */
export function pageRules(subject: Subject): SubjectRules {
  const { cap } = pagesOf(subject);
  const rules: Record<string, (subject: Subject) => Promise<void>> = {};
  const counts = Number.isFinite(cap)
    ? { 'cap - 1': cap - 1, cap, 'cap + 1': cap + 1, '2 x cap': 2 * cap }
    : { many: LONG };
  for (const [name, count] of Object.entries(counts)) rules[`${name} points are read whole`] = readsCount(count);
  if (Number.isFinite(cap)) Object.assign(rules, pagedRules(cap), sameInstantRules(subject, cap));
  rules['a page newest first, or mixed, loses nothing'] = reordered;
  return rules;
}

const pagedRules = (cap: number): SubjectRules => ({
  'sensors of which one ends early and one fills pages are read whole': async (subject) => {
    const { options } = pagesOf(subject);
    const window = windowFor(subject, 2 * cap + 3);
    const instants = spread(subject, window, 2 * cap + 3);
    const keys = [instants.slice(0, 1), instants, instants.slice(-cap), []].map(numbersAt);
    await readsWhole(subject, truthOf(subject, keys), window, options);
  },

  'an answer that repeats itself ends': async (subject) => {
    const { options } = pagesOf(subject);
    const window = windowFor(subject, 3 * cap);
    const truth = truthOf(subject, [numbersAt(spread(subject, window, 3 * cap))]);
    await onGround(subject, { truth, ...options }, async (ground) => {
      const streams = await streamsOf(ground);
      ground.simulator.faults.switchOn({ kind: 'repeat' });
      const before = ground.pacer.given;
      expectFailure(ground, await read(ground, window, { streams }), 'contract-broken', 'too-much');
      expect(ground.pacer.given - before, 'requests').toBeLessThanOrEqual(MANY_REQUESTS);
    });
  },
});

function sameInstantRules({ platform }: Subject, cap: number): SubjectRules {
  if (platform.facts.sameInstant === 'one') return {};
  const rules: Record<string, (subject: Subject) => Promise<void>> = {};
  for (const together of [2, 3]) {
    for (const before of [cap - 2, cap - 1, cap]) {
      rules[`${together} events at one instant after ${before} others are all read`] = async (subject) => {
        const window = windowFor(subject, 2 * cap);
        const points = withTogether(subject, window, before, together, cap);
        await readsWhole(subject, truthOf(subject, [points]), window, pagesOf(subject).options);
      };
    }
  }
  for (const [name, together] of Object.entries({ 'cap - 1': cap - 1, cap, 'cap + 1': cap + 1 })) {
    rules[`${name} events at one instant are all read, or too much`] = async (subject) => {
      const window = windowFor(subject, 10);
      const truth = truthOf(subject, [withTogether(subject, window, 2, together, 3)]);
      await onGround(subject, { truth, ...pagesOf(subject).options }, async (ground) => {
        const outcome = await read(ground, window);
        if (outcome.failures.length > 0) expectFailure(ground, outcome, 'too-much');
        else expectTruth(subject, truth, window, outcome);
      });
    };
  }
  return rules;
}

/** Where no order is promised, any order is read; where one is, another order may be refused. */
async function reordered(subject: Subject): Promise<void> {
  const { cap, options } = pagesOf(subject);
  const count = Number.isFinite(cap) ? Math.floor(2.5 * cap) : 50;
  const window = windowFor(subject, count);
  const truth = truthOf(subject, [numbersAt(spread(subject, window, count))]);
  for (const as of ['reversed', 'shuffled'] as const) {
    await onGround(subject, { truth, ...options }, async (ground) => {
      const streams = await streamsOf(ground);
      ground.simulator.faults.switchOn({ kind: 'reorder', as });
      const outcome = await read(ground, window, { streams });
      if (outcome.failures.length === 0 || subject.platform.facts.order === 'none') {
        expectTruth(subject, truth, window, outcome);
      } else expectFailure(ground, outcome, 'contract-broken');
    });
  }
}
