import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../core/errors.ts';
import { MILLISECOND } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import type { Window } from '../../core/window.ts';
import { byTime } from '../paging.ts';

interface Event {
  readonly at: Instant;
  readonly value: number;
}

const WINDOW: Window = { from: 0, to: 20 * MILLISECOND };

const anEvent = fc.record({ at: fc.integer({ min: -3, max: 23 }).map((ms) => ms * MILLISECOND), value: fc.nat(2) });

type Asking = (window: Window, size: number) => readonly Event[];

/** A server that gives the first or last events of a window; of one instant any of them, and in any order. */
function serverOf(events: readonly Event[], order: 'ascending' | 'descending', seed: number): Asking {
  let state = seed;
  const chance = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [chance(), item] as const)
      .toSorted(([one], [other]) => one - other)
      .map(([, item]) => item);
  const sign = order === 'ascending' ? 1 : -1;
  return ({ from, to }, size) => {
    const asked = shuffled(events.filter(({ at }) => at >= from && at < to));
    return shuffled(asked.toSorted((one, other) => sign * (one.at - other.at)).slice(0, size));
  };
}

const loopOf = (ask: Asking, more: Partial<Parameters<typeof byTime<Event>>[0]> = {}) =>
  byTime<Event>({
    what: 'points',
    window: WINDOW,
    ask: async (window, size) => ask(window, size),
    at: ({ at }) => at,
    order: 'ascending',
    tick: MILLISECOND,
    size: 2,
    cap: 8,
    ...more,
  });

async function outcomeOf(loop: AsyncIterable<readonly Event[]>): Promise<readonly Event[] | BridgeError> {
  const found: Event[] = [];
  try {
    for await (const page of loop) found.push(...page);
    return found;
  } catch (error) {
    if (error instanceof BridgeError) return error;
    throw error;
  }
}

const inOneOrder = (events: readonly Event[]): Event[] =>
  events.toSorted((one, other) => one.at - other.at || one.value - other.value);

const atMostAtOnce = (events: readonly Event[]): number =>
  Math.max(0, ...Array.from(Map.groupBy(events, ({ at }) => at).values(), (same) => same.length));

describe('byTime', () => {
  it.each(['ascending', 'descending'] as const)('gives all of the window once, %s', async (order) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anEvent, { maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 12 }),
        fc.nat(),
        async (events, size, growth, seed) => {
          const cap = size + growth;
          const found = await outcomeOf(loopOf(serverOf(events, order, seed), { order, size, cap }));
          const wanted = events.filter(({ at }) => at >= WINDOW.from && at < WINDOW.to);
          if (atMostAtOnce(wanted) >= cap)
            expect(found).toMatchObject({ fault: { code: 'too-much', oneInstant: true } });
          else expect(inOneOrder(found as readonly Event[])).toEqual(inOneOrder(wanted));
        },
      ),
      { numRuns: 300 },
    );
  });

  const at = (ms: number, value = 0): Event => ({ at: ms * MILLISECOND, value });

  it('drops what a server gives beyond the window', async () => {
    const events = Array.from({ length: 24 }, (_, ms) => ({ at: (ms - 2) * MILLISECOND, value: 0 }));
    for (const order of ['ascending', 'descending'] as const) {
      const server = serverOf(events, order, 1);
      const wide: Asking = ({ from, to }, size) => server({ from: from - MILLISECOND, to: to + MILLISECOND }, size);
      const found = await outcomeOf(loopOf(wide, { order, size: 5 }));
      expect(inOneOrder(found as readonly Event[])).toEqual(events.slice(2, 22));
    }
  });

  it('asks once where the page is not full, and again where it is', async () => {
    const asked: (readonly [number, number])[] = [];
    const server = serverOf([at(1), at(2), at(3)], 'ascending', 1);
    const noting: Asking = (window, size) => (asked.push([window.from / MILLISECOND, size]), server(window, size));
    await outcomeOf(loopOf(noting, { size: 4 }));
    expect(asked).toEqual([[0, 4]]);
    asked.length = 0;
    await outcomeOf(loopOf(noting, { size: 3 }));
    expect(asked).toEqual([
      [0, 3],
      [3, 3],
    ]);
  });

  it('says that the page has to grow, not the window, where one instant fills the largest page', async () => {
    const many = Array.from({ length: 8 }, (_, value) => at(5, value));
    const error = await outcomeOf(loopOf(serverOf(many, 'ascending', 1)));
    expect(error).toMatchObject({
      message: 'points: more than 8 items at 1970-01-01T00:00:00.005Z',
      remedy: expect.stringMatching(/size of a page/) as string,
    });
  });

  it.each<[string, Asking, RegExp]>([
    [
      'leaves out the instant that it is asked from',
      (window, size) =>
        serverOf(
          [1, 2, 3, 4].map((ms) => at(ms)),
          'ascending',
          1,
        )({ ...window, from: window.from + 1 }, size),
      /no item of that instant came again/,
    ],
    ['answers with other time', () => Array.from({ length: 8 }, () => at(30)), /without one of the window/],
    [
      'gives the same first page for every question',
      (_window, size) => [at(1), at(2), ...Array.from({ length: size }, () => at(2))].slice(0, size),
      /more than 8 items/,
    ],
  ])('does not go on with a server that %s', async (_what, server, message) => {
    expect(await outcomeOf(loopOf(server))).toMatchObject({ message: expect.stringMatching(message) as string });
  });

  it('ends after a number of pages', async () => {
    const server = serverOf(
      Array.from({ length: 19 }, (_, ms) => at(ms)),
      'ascending',
      1,
    );
    expect(await outcomeOf(loopOf(server, { mostPages: 3 }))).toMatchObject({
      code: 'contract-broken',
      message: 'points: no end after 3 pages',
    });
  });
});
