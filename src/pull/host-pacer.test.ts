import { expect, it } from 'vitest';
import { MINUTE, SECOND } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import { pacedHostsOf } from './host-pacer.ts';

const FROM = 1_000 * SECOND;

/** `sources` ask at once, each for one request, and ask again when they are told to. @returns how many leave in each second */
function startOf(
  sources: number,
  {
    every = 60 * MINUTE,
    login = false,
    hosts: many = 1,
  }: { every?: Microseconds; login?: boolean; hosts?: number } = {},
): number[] {
  let now = FROM;
  const hosts = pacedHostsOf({ rows: undefined as never, paces: new Map(), now: () => now });
  let due = Array.from({ length: sources }, (_, sourceId) => ({ sourceId, at: FROM }));
  const sent: number[] = [];
  while (due.length > 0) {
    const later: typeof due = [];
    for (const { sourceId, at } of due.toSorted((one, other) => one.at - other.at)) {
      now = at;
      const url = new URL(`http://plant-${sourceId % many}.example/`);
      const wait = hosts.turn(url, { login, sourceId, own: 5, every });
      if (wait > 0) later.push({ sourceId, at: at + wait });
      else {
        const second = Math.floor((at - FROM) / SECOND);
        sent[second] = (sent[second] ?? 0) + 1;
      }
    }
    due = later;
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
