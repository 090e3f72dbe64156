import { expect } from 'vitest';
import type { BridgeError, Fault, FaultCode } from '../../../src/core/errors.ts';
import type { SimulatedFault } from '../../../src/simulator/faults.ts';
import type { TruthSpec } from '../../../src/simulator/truth.ts';
import { httpOf, read, streamsOf } from './reading.ts';
import { ANY_FAILURE, expectFailure, onGround } from './on-ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { expectTruth } from './oracle.ts';
import type { Subject } from './subject.ts';
import { NOW, numbersAt, spread, truthOf, windowOf } from './truths.ts';

interface Failing {
  readonly fault: SimulatedFault;
  readonly codes: readonly FaultCode[];
}

const failing = (fault: SimulatedFault, ...codes: readonly FaultCode[]): Failing => ({ fault, codes });

/** Each of these in place of an answer is a failure and never an empty window. */
const FAILING: Readonly<Record<string, Failing>> = {
  '500': failing({ kind: 'status', status: 500 }, 'unavailable'),
  '503': failing({ kind: 'status', status: 503 }, 'unavailable'),
  '403': failing({ kind: 'status', status: 403 }, 'credentials-rejected'),
  'an error with status 200': failing({ kind: 'error-in-200', status: 500 }, ...ANY_FAILURE),
  'an error about the question with status 200': failing({ kind: 'error-in-200', status: 400 }, ...ANY_FAILURE),
  'a login page': failing({ kind: 'wrong-shape', shape: 'html' }, 'contract-broken'),
  'a redirect to a login page': failing({ kind: 'redirect', to: 'login' }, 'contract-broken'),
  'a redirect to another server': failing({ kind: 'redirect', to: 'elsewhere', status: 307 }, 'contract-broken'),
  'its own answer with every type exchanged': failing({ kind: 'wrong-shape', shape: 'types' }, ...ANY_FAILURE),
  'its own answer with new names of fields': failing({ kind: 'wrong-shape', shape: 'names' }, 'contract-broken'),
  'half of a body': failing({ kind: 'truncate', lost: 'body' }, 'contract-broken', 'unavailable'),
  'a connection that ends half-way': failing({ kind: 'truncate', lost: 'connection' }, 'unavailable'),
  'a connection that is reset': failing({ kind: 'reset' }, 'unavailable'),
  'a body of 1 GB': failing({ kind: 'flood', bytes: 1e9 }, 'too-much', 'contract-broken'),
};

/** Points that need at least three pages, where pages can be short enough. */
function severalPages(subject: Subject): { truth: TruthSpec; cap?: number; pages: number } {
  const { product, platform } = subject;
  const real = platform.facts.page.cap;
  const cap = product.pagesOf === undefined ? real : 10;
  const isShort = cap <= 1000;
  const instants = spread(subject, windowOf(subject), isShort ? Math.ceil(2.5 * cap) : 25);
  const truth = truthOf(subject, [numbersAt(instants)]);
  return { truth, ...(product.pagesOf !== undefined && { cap }), pages: isShort ? 3 : 1 };
}

const failsWith =
  ({ fault, codes }: Failing) =>
  async (subject: Subject): Promise<void> => {
    const { pages, ...options } = severalPages(subject);
    // A body without end costs as much as the bridge lets through, so it stands in place of the first page alone.
    for (let after = 0; after < (fault.kind === 'flood' ? 1 : pages); after += 1) {
      await onGround(subject, options, async (ground) => {
        const streams = await streamsOf(ground);
        ground.simulator.faults.switchOn({ ...fault, after });
        const outcome = await read(ground, windowOf(subject), { streams });
        expectFailure(ground, outcome, ...codes);
      });
    }
  };

/** The time for which the platform asks is kept, in each form of Retry-After. */
const THROTTLED: Readonly<Record<string, { readonly fault: SimulatedFault; readonly stated: boolean }>> = {
  seconds: { fault: { kind: 'status', status: 429, retryAfterSeconds: 7 }, stated: true },
  'a date': { fault: { kind: 'status', status: 429, retryAfterSeconds: 7, retryAfterAs: 'date' }, stated: true },
  nothing: { fault: { kind: 'status', status: 429 }, stated: false },
  'seconds, as 503': { fault: { kind: 'status', status: 503, retryAfterSeconds: 7 }, stated: true },
};

const throttles =
  (fault: SimulatedFault, stated: boolean) =>
  async (subject: Subject): Promise<void> => {
    const { pages, ...options } = severalPages(subject);
    for (let after = 0; after < pages; after += 1) {
      await onGround(subject, options, async (ground) => {
        const streams = await streamsOf(ground);
        ground.simulator.faults.switchOn({ ...fault, after });
        const before = ground.simulator.recorder.statistics().total;
        const outcome = await read(ground, windowOf(subject), { streams });
        expectFailure(ground, outcome, 'throttled');
        expect(ground.simulator.recorder.statistics().total - before, 'requests until the silence').toBe(after + 1);
        const { retryAt } = (outcome.failures[0] as BridgeError).fault as Fault & { code: 'throttled' };
        expect(outcome.failures[0]?.fault).toMatchObject({ stated });
        if (stated) expect(retryAt).toBe(NOW + 7_000_000);
        else expect(retryAt).toBeGreaterThan(NOW);
      });
    }
  };

const INTERRUPTIONS: SubjectRules = {
  'a slow body is read whole': async (subject) => {
    const { pages: _pages, ...options } = severalPages(subject);
    await onGround(subject, options, async (ground) => {
      const streams = await streamsOf(ground);
      ground.simulator.faults.switchOn({ kind: 'slow-body', pauseMs: 1, pieces: 50 });
      expectTruth(subject, options.truth, windowOf(subject), await read(ground, windowOf(subject), { streams }));
    });
  },

  'a restart between two pages loses nothing, or fails': async (subject) => {
    const { pages, ...options } = severalPages(subject);
    for (let after = 0; after < pages; after += 1) {
      await onGround(subject, options, async (ground) => {
        const streams = await streamsOf(ground);
        ground.simulator.faults.switchOn({ kind: 'restart', after, next: 1 });
        const outcome = await read(ground, windowOf(subject), { streams });
        if (outcome.failures.length > 0) expectFailure(ground, outcome);
        else expectTruth(subject, options.truth, windowOf(subject), outcome);
      });
    }
  },

  'a read that is cancelled in a body ends at once': async (subject) => {
    const { pages: _pages, ...options } = severalPages(subject);
    await onGround(subject, options, async (ground) => {
      const streams = await streamsOf(ground);
      ground.simulator.faults.switchOn({ kind: 'slow-body', pauseMs: 60_000 });
      const stop = new AbortController();
      const reading = read(ground, windowOf(subject), { streams: streams.slice(0, 1), signal: stop.signal });
      await expect.poll(() => ground.simulator.recorder.statistics().concurrent).toBe(1);
      stop.abort();
      expect((await reading).failures.map(({ code }) => code)).toEqual(['cancelled']);
      await expect.poll(() => ground.pacer.held).toBe(0);
    });
  },

  'a reader that stops early leaves no request open': async (subject) => {
    const { pages: _pages, ...options } = severalPages(subject);
    await onGround(subject, options, async (ground) => {
      const [stream] = await streamsOf(ground);
      if (stream === undefined) throw new Error('discovery finds no sensor');
      const { platform, options: chosen } = ground.source;
      let pages = 0;
      for await (const _ of platform.read(httpOf(ground), chosen, stream.selection, windowOf(subject))) {
        pages += 1;
        break;
      }
      expect(pages).toBe(1);
      await expect.poll(() => ground.pacer.held).toBe(0);
    });
  },

  'a source that may have one request at a time reads everything': async (subject) => {
    const { pages: _pages, ...options } = severalPages(subject);
    await onGround(subject, options, async (ground) => {
      ground.pacer.limit(1);
      const outcome = await read(ground, windowOf(subject), { signal: AbortSignal.timeout(300_000) });
      expectTruth(subject, options.truth, windowOf(subject), outcome);
      expect(ground.simulator.recorder.statistics().maxConcurrent).toBe(1);
    });
  },
};

/** Answers that fail, on every page, and reads that are interrupted. */
export const FAILURE_RULES: SubjectRules = {
  ...Object.fromEntries(
    Object.entries(FAILING).map(([name, given]) => [`${name} is a failure, on every page`, failsWith(given)]),
  ),
  ...Object.fromEntries(
    Object.entries(THROTTLED).map(([name, { fault, stated }]) => [
      `a platform that asks for silence (Retry-After: ${name}) gets it`,
      throttles(fault, stated),
    ]),
  ),
  ...INTERRUPTIONS,
};
