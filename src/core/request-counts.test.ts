import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from './instant.ts';
import {
  MINUTES_COUNTED,
  REQUEST_KINDS,
  countEnd,
  countRequest,
  hourOf,
  requestsByMinute,
  requestsOfHour,
  requestsIn,
  sumOfRequests,
} from './request-counts.ts';
import type { RequestKind } from './request-counts.ts';

const NOW = 29_684_413 * MINUTE + 20 * SECOND;

const totalAt = (counts: string | undefined, now = NOW) => sumOfRequests(requestsByMinute(counts, now));

describe('the requests of the last hour', () => {
  test('are none before the first one', () => {
    expect(requestsByMinute(undefined, NOW)).toHaveLength(MINUTES_COUNTED);
    expect(requestsIn(totalAt(undefined))).toBe(0);
  });

  test('are told by kind and minute, and the failed ones are among them', () => {
    let counts = countRequest(undefined, NOW - 2 * MINUTE, 'login');
    counts = countRequest(counts, NOW - 2 * MINUTE, 'live');
    counts = countRequest(counts, NOW, 'live');
    counts = countRequest(counts, NOW, 'look');
    counts = countEnd(counts, { at: NOW - 2 * MINUTE, kind: 'login', ending: 'failed' }) ?? '';
    expect(counts).toBe('29684413|1,,,1,1,2;;1,,1,,,2|1781064800,2');
    expect(totalAt(counts)).toEqual({ live: 2, history: 0, look: 1, login: 1, failed: 1 });
    expect(requestsByMinute(counts, NOW).map(requestsIn).slice(-4)).toEqual([0, 2, 0, 2]);
    expect(requestsIn(totalAt(counts))).toBe(4);
  });

  test('do not hold one that was not sent', () => {
    const counts = countRequest(countRequest(undefined, NOW, 'history'), NOW, 'live');
    expect(totalAt(countEnd(counts, { at: NOW, kind: 'live', ending: 'unsent' }))).toEqual({
      live: 0,
      history: 1,
      look: 0,
      login: 0,
      failed: 0,
    });
  });

  test('equal those of a plain list, whatever comes in which order, for hours and over silences', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    let counts: string | undefined;
    let sent: { at: number; kind: RequestKind; failed: boolean }[] = [];
    let now = NOW;
    for (let step = 0; step < 400; step += 1) {
      now += random(50) === 0 ? random(3 * HOUR) : random(20 * SECOND);
      const deed = random(10);
      const some = sent[random(sent.length + 1)];
      if (some !== undefined && deed < 2 && some.at <= now) {
        const ending = deed === 0 && !some.failed ? 'failed' : 'unsent';
        // A failed request was sent, so it is not taken back.
        if (ending === 'unsent' && some.failed) continue;
        counts = countEnd(counts, { ...some, ending });
        if (ending === 'failed') some.failed = true;
        else sent = sent.filter((each) => each !== some);
      } else {
        const kind = REQUEST_KINDS[random(REQUEST_KINDS.length)] as RequestKind;
        // Hosts differ by 2 s, and slots are up to 5 s ahead.
        const at = now + random(7 * SECOND) - 2 * SECOND;
        counts = countRequest(counts, at, kind);
        sent.push({ at, kind, failed: false });
      }
      const first = Math.floor(now / MINUTE) - MINUTES_COUNTED + 1;
      const kept = sent.filter(({ at }) => Math.floor(at / MINUTE) >= first);
      const total = totalAt(counts, now);
      for (const kind of REQUEST_KINDS) expect(total[kind]).toBe(kept.filter((each) => each.kind === kind).length);
      expect(total.failed).toBe(kept.filter(({ failed }) => failed).length);
      sent = kept;
    }
  });

  test('have the requests of the fullest second of each minute, in whatever order hosts count them', () => {
    let seed = 11;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const bySecond = new Map<number, number>();
    let counts: string | undefined;
    let now = NOW;
    for (let step = 0; step < 2_000; step += 1) {
      now += random(20) === 0 ? random(40 * SECOND) : random(SECOND / 2);
      const at = now + random(7 * SECOND) - 2 * SECOND;
      counts = countRequest(counts, at, 'live');
      const second = Math.floor(at / SECOND);
      bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    }
    const [newest = '', rows = ''] = (counts ?? '').split('|');
    const told = rows.split(';').map((row) => Number(row.split(',')[5] ?? 0));
    const first = Number(newest) - told.length + 1;
    const truth = told.map((_, index) =>
      Math.max(0, ...Array.from({ length: 60 }, (_each, second) => bySecond.get((first + index) * 60 + second) ?? 0)),
    );
    expect(told).toEqual(truth);
    expect(new Set(told).size).toBeGreaterThan(3);
  });

  test('are not changed by the end of one that is not counted', () => {
    const at = NOW - 2 * MINUTE;
    const counts = countRequest(countRequest(undefined, at, 'live'), NOW - MINUTE, 'live');
    for (const ending of ['failed', 'unsent'] as const) {
      expect(countEnd(undefined, { at, kind: 'live', ending })).toBeUndefined();
      expect(countEnd(counts, { at: NOW, kind: 'live', ending })).toBe(counts);
      expect(countEnd(counts, { at: at - MINUTE, kind: 'live', ending })).toBe(counts);
    }
  });

  test('are told for the hour, with its fullest minute', () => {
    let counts = countRequest(undefined, NOW - 2 * MINUTE, 'login');
    for (let request = 0; request < 3; request += 1) counts = countRequest(counts, NOW, 'live');
    const none = { live: 0, history: 0, look: 0, login: 0, failed: 0 };
    expect(hourOf(requestsByMinute(counts, NOW))).toEqual({ ...none, all: 4, live: 3, login: 1, fullestMinute: 3 });
    expect(hourOf([])).toEqual({ ...none, all: 0, fullestMinute: 0 });
  });

  test('are the same where only their sum is wanted', () => {
    let counts = countRequest(undefined, NOW - 70 * MINUTE, 'live');
    for (const [ago, kind] of [
      [59, 'login'],
      [20, 'live'],
      [20, 'look'],
      [0, 'history'],
      [-1, 'live'],
    ] as const)
      counts = countEnd(countRequest(counts, NOW - ago * MINUTE, kind), { at: NOW, kind, ending: 'failed' }) ?? '';
    for (const now of [NOW - 5 * MINUTE, NOW, NOW + MINUTE, NOW + 30 * MINUTE, NOW + 5 * HOUR])
      expect(requestsOfHour(counts, now)).toBe(requestsIn(totalAt(counts, now)));
    expect(requestsOfHour(undefined, NOW)).toBe(0);
  });

  test('stay short: the busiest source has less than a kilobyte, an idle one a few characters', () => {
    let counts: string | undefined;
    for (let at = NOW; at < NOW + 3 * HOUR; at += SECOND)
      counts = countRequest(counts, at, at % 3 ? 'live' : 'history');
    expect(counts?.split(';')).toHaveLength(MINUTES_COUNTED + 1);
    expect(counts?.length).toBeLessThan(1_000);
    expect(countRequest(counts, NOW + 9 * HOUR, 'live').replaceAll(';', '')).toHaveLength(29);
  });

  test('forget minutes that stem from a clock that was ahead', () => {
    const ahead = countRequest(countRequest(undefined, NOW, 'live'), NOW + 5 * HOUR, 'live');
    expect(requestsIn(totalAt(countRequest(ahead, NOW, 'live')))).toBe(1);
    const asFar = countRequest(undefined, NOW + 10 * MINUTE, 'live');
    expect(requestsIn(totalAt(countRequest(asFar, NOW, 'live'), NOW + 10 * MINUTE))).toBe(2);
    const late = countRequest(countRequest(undefined, NOW, 'live'), NOW + 10 * MINUTE, 'live');
    expect(requestsIn(totalAt(countRequest(late, NOW + MINUTE, 'live'), NOW + 20 * MINUTE))).toBe(3);
  });
});
