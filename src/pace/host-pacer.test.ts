import { expect, it } from 'vitest';
import { MILLISECOND, MINUTE, SECOND } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import { pacedHostsOf } from './host-pacer.ts';

const FROM = 1_000 * SECOND;
/** The platform takes so long. */
const ANSWER: Microseconds = 10 * MILLISECOND;

/**
 * `sources` ask at once, each for one request or several that belong together, and ask again when they are told to.
 * @returns how many requests leave in each stretch of `length`
 */
function startOf(
  sources: number,
  {
    every = 60 * MINUTE,
    login = false,
    hosts: many = 1,
    requests = 1,
    length = SECOND,
  }: { every?: Microseconds; login?: boolean; hosts?: number; requests?: number; length?: Microseconds } = {},
): number[] {
  let now = FROM;
  const hosts = pacedHostsOf({ rows: undefined as never, paces: new Map(), now: () => now });
  interface Asking {
    readonly sourceId: number;
    readonly asked: number;
  }
  const urls = Array.from({ length: many }, (_, host) => new URL(`http://plant-${host}.example/`));
  /** By the millisecond in which they ask. */
  const due: Asking[][] = [Array.from({ length: sources }, (_, sourceId) => ({ sourceId, asked: 0 }))];
  const sent: number[] = [];
  for (let at = 0; at < due.length; at += 1) {
    now = FROM + at * MILLISECOND;
    const later = (wait: Microseconds, asking: Asking): number =>
      (due[at + Math.ceil(wait / MILLISECOND)] ??= []).push(asking);
    for (const { sourceId, asked } of due[at] ?? []) {
      const wait = hosts.turn(urls[sourceId % many] as URL, { login, begun: asked > 0, sourceId, own: 5, every });
      if (wait > 0) {
        later(wait, { sourceId, asked });
        continue;
      }
      const stretch = Math.floor((now - FROM) / length);
      sent[stretch] = (sent[stretch] ?? 0) + 1;
      if (asked + 1 < requests) later(ANSWER, { sourceId, asked: asked + 1 });
    }
  }
  return sent;
}

it.each([2_000, 10_000])(
  'spreads the first requests of %d sources on one host, and holds nothing back where hosts differ',
  (sources) => {
    const before = [sources];
    const requests = startOf(sources);
    const logins = startOf(sources, { login: true });
    const quick = startOf(sources, { every: SECOND });
    const apart = startOf(sources, { hosts: sources });
    const table = { before, requests, logins, quick, apart };
    const rows = Object.entries(table).map(([what, sent]) => ({
      what,
      busiest: Math.max(...sent),
      seconds: sent.length,
    }));
    process.stdout.write(
      `${rows.map(({ what, busiest, seconds }) => `${sources} ${what}: busiest second ${busiest}, ${seconds} s`).join('\n')}\n`,
    );
    expect(requests.slice(0, 3)).toEqual([40, 80, 120]);
    expect(logins.slice(0, 3)).toEqual([10, 20, 30]);
    expect(Math.max(...requests)).toBeLessThan(sources / 4);
    expect(requests.length).toBeLessThan(24);
    expect(logins.length).toBeLessThan(47);
    // Sources that ask every second are asked for as much in any second.
    expect(quick.length).toBeLessThanOrEqual(2);
    expect(apart).toEqual([sources]);
  },
);

it('spreads requests over their second, and those of looks with their further ones', () => {
  const tenths = startOf(2_000, { length: SECOND / 10 });
  // Five leave at once, as a source alone may ask.
  expect(Math.max(...tenths.slice(0, 10))).toBeLessThanOrEqual(10);
  expect(Math.max(...tenths.slice(10, 20))).toBeLessThanOrEqual(16);
  const looks = startOf(2_000, { requests: 3 });
  // Some have begun when the second is full.
  expect(looks[0]).toBeLessThanOrEqual(45);
  expect(looks[1]).toBeLessThanOrEqual(90);
});

it('gives the turn of a request that was not sent to another', () => {
  let now = FROM;
  const hosts = pacedHostsOf({ rows: undefined as never, paces: new Map(), now: () => now });
  const url = new URL('http://plant.example/');
  const about = { login: true, sourceId: 1, own: 5, every: undefined };
  const turns = (): number => {
    let taken = 0;
    while (hosts.turn(url, about) === 0) taken += 1;
    return taken;
  };
  now = FROM + SECOND - 1;
  expect(turns()).toBe(10);
  hosts.unsent(url, about, now);
  expect(turns()).toBe(1);
});

it('holds back no polls as usual, also where each takes several requests', () => {
  const [sources, requests] = [200, 5];
  let now = FROM;
  const hosts = pacedHostsOf({ rows: undefined as never, paces: new Map(), now: () => now });
  const url = new URL('http://plant.example/');
  const waits: number[] = [];
  // The planner finds a quarter of them due four times a second.
  for (let tick = 0; tick < 4 * 60; tick += 1) {
    for (let sourceId = tick % 4; sourceId < sources; sourceId += 4) {
      for (let asked = 0; asked < requests; asked += 1) {
        now = FROM + tick * (SECOND / 4) + asked * ANSWER;
        const wait = hosts.turn(url, { login: false, begun: asked > 0, sourceId, own: 15, every: SECOND });
        if (wait > 0) waits.push(now - FROM);
      }
    }
  }
  expect(waits.filter((at) => at > 5 * SECOND)).toEqual([]);
});
