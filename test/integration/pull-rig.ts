import { randomUUID } from 'node:crypto';
import type { Coverage } from '../../src/core/coverage.ts';
import type { BridgeError } from '../../src/core/errors.ts';
import { MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import { formatInstant } from '../../src/core/instant.ts';
import type { Policy } from '../../src/core/plan.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import { history } from '../../src/pull/history/history.ts';
import { poll } from '../../src/pull/poll.ts';
import type { TestDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { readingsIn, storeSource, storeStream } from '../kit/stored-source.ts';

/** A platform as a function: a point every `every` µs from `first` on, uploaded when it is `lateness` old. */
export interface Truth {
  readonly first: Instant;
  readonly every: number;
  readonly latenessOf: (at: Instant) => number;
}

/** What a platform throws instead of an answer to a window. */
export type Failing = (window: Window) => BridgeError | undefined;

/** Both lanes of one stream on a real database. The clock moves with every request and by `pass`. */
export interface PullRig {
  readonly database: Database;
  readonly asked: { readonly lane: 'live' | 'history'; readonly window: Window; readonly at: Instant }[];
  now(): Instant;
  /** Lets time pass: a poll every `every` µs, and each run of history when it is due, by `workers` at a time. */
  pass(length: number, every?: number, workers?: number): Promise<void>;
  fails(failing: Failing | undefined): void;
  /** Only runs of history that are due, until none is. @returns whether one was due */
  runHistory(workers?: number): Promise<boolean>;
  covered(): Promise<Coverage>;
  unreadable(): Promise<Window[]>;
  /** The instants of stored readings that the platform has not, and of points that are uploaded, covered and not stored. */
  difference(): Promise<{ readonly unexpected: string[]; readonly missing: string[] }>;
}

const TAKES = SECOND / 10;

export async function startPullRig(
  databases: TestDatabases,
  given: {
    readonly begin: Instant;
    readonly policy: Policy;
    readonly truth: Truth;
    readonly lookBackAtMost?: number;
    readonly concurrency?: number;
    readonly minWindow?: number;
    /** Streams of the source: one unless told. */
    readonly streams?: number;
  },
): Promise<PullRig> {
  const { begin, truth, policy } = given;
  const database = await databases.create();
  const stored = await storeSource(database);
  for (let number = 1; number <= (given.streams ?? 1); number += 1)
    await storeStream(database, stored, `stream ${number}`);
  await database.run('update source set discovered_at = $1', [new Date(Date.now() + 1e11)]);
  const asked: PullRig['asked'] = [];
  let now = begin;
  let failing: Failing | undefined;

  const bridge = (lane: 'live' | 'history') => {
    const source = openSourceOf(stored, {
      ...given,
      policy,
      read: (window) => {
        asked.push({ lane, window, at: now });
        now += TAKES;
        const error = failing?.(window);
        if (error) throw error;
        const at: Instant[] = [];
        const from = Math.max(truth.first, window.from);
        const place = Math.ceil((from - truth.first) / truth.every);
        for (let each = truth.first + place * truth.every; each < window.to; each += truth.every)
          if (each + truth.latenessOf(each) <= now) at.push(each);
        return at.length === 0 ? [] : [{ sensor: 'pump', variable: 'flow', at, values: at.map(() => 1) }];
      },
    });
    return bridgeOf(database, { source, now: () => now, workerId: randomUUID() });
  };

  const rig: PullRig = {
    database,
    asked,
    now: () => now,
    async pass(length, every = MINUTE, workers = 1) {
      for (const until = now + length; now < until;) {
        const next = Math.min(until, now + every);
        // The clock of the database, by which a hold ends elsewhere, is hours from this one.
        const held = await database.row('select from source where held_until > at_instant($1)', [now]);
        if (held === undefined) {
          await database.run('update source set held_until = null');
          await poll(bridge('live'), stored.sourceId, new AbortController().signal);
          if (!(await database.row('select from source where held_until is not null'))) await rig.runHistory(workers);
        }
        now = Math.max(now, next);
      }
    },
    fails: (next) => void (failing = next),
    async runHistory(workers = 1) {
      for (let runs = 0; ; runs += 1) {
        // Statements that make history due at once write the clock of the database, which is hours from this one.
        const due = await database.row<{ id: number }>(
          `select id from work where kind = 'history' and due_at not between at_instant($1) + interval '1 ms' and at_instant($1) + interval '2 hours'`,
          [now],
        );
        if (!due) return runs > 0;
        if (runs > 500) throw new Error('the history does not come to rest');
        const signal = new AbortController().signal;
        await Promise.all(Array.from({ length: workers }, () => history(bridge('history'), due.id, signal)));
      }
    },
    async covered() {
      const row = await database.row<{ covered: [number, number][] }>(
        'select instants_of(covered) as covered from stream',
      );
      return (row?.covered ?? []).map(([from, to]) => ({ from, to }));
    },
    unreadable: () =>
      database.rows<{ from: number; to: number } & Record<string, unknown>>(
        'select instant_of(from_at) as from, instant_of(to_at) as to from unreadable order by from_at',
      ),
    async difference() {
      const readings = new Set((await readingsIn(database)).map((line) => Number(line.split(' ')[1])));
      const covered = await rig.covered();
      const missing: string[] = [];
      for (let at = truth.first; at < now; at += truth.every) {
        if (at < policy.start || at + truth.latenessOf(at) > now) continue;
        const isCovered = covered.some(({ from, to }) => from <= at && at < to);
        if (isCovered && !readings.has(at)) missing.push(formatInstant(at));
        readings.delete(at);
      }
      return { unexpected: [...readings].map(formatInstant), missing };
    },
  };
  return rig;
}
