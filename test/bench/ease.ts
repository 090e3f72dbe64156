import { MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import { IDLE } from '../../src/core/pace.ts';
import type { Database } from '../../src/database/database.ts';
import type { PaceRow } from '../../src/pace/pace-rows.ts';
import { pacerOf } from '../../src/pace/pacer.ts';
import { percentile } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';

/** The agreed pace is twice what the platform can bear. */
const PACE = { requestsPerSecond: 20, burst: 5, concurrency: 40, quietHours: [] };

/** The platform works on so many requests at a time, and on each for this long, give or take a fifth; others wait. */
const SERVERS = 4;
const WORK: Microseconds = 0.4 * SECOND;
const CAPACITY = (SERVERS * SECOND) / WORK;

const IDLE_REQUESTS = 200;
const WARM_UP = 5 * MINUTE;
const LENGTH = 60 * MINUTE;

interface Ending {
  readonly at: Instant;
  readonly release: () => Promise<void> | void;
}

/** A clock that nobody waits for: requests that end by then end on the way. */
function simulation() {
  const begin = 1_000_000 * SECOND;
  let now: Instant = begin;
  let endings: Ending[] = [];
  let swaps = 0;
  let eased = 0;
  let row: PaceRow = { version: 1, state: { ...IDLE, account: 'account' } };
  async function advance(to: Instant): Promise<void> {
    for (;;) {
      const [first] = endings.toSorted((one, other) => one.at - other.at);
      if (first === undefined || first.at > to) break;
      endings = endings.filter((ending) => ending !== first);
      now = Math.max(now, first.at);
      await first.release();
    }
    now = Math.max(now, to);
  }
  const pacer = pacerOf({
    database: undefined as unknown as Database,
    rows: {
      read: () => Promise.resolve(row),
      swap(_sourceId, before, next) {
        swaps += 1;
        if (next.ease !== row.state.ease) eased += 1;
        const done = before.version === row.version;
        if (done) row = { version: row.version + 1, state: next };
        return Promise.resolve({ done, row });
      },
    },
    sourceId: 1,
    revision: 1,
    pace: PACE,
    account: { digest: 'account', link: () => Promise.resolve() },
    workerId: 'worker',
    now: () => now,
    sleep: (ms) => advance(now + ms * 1_000),
  });
  return {
    pacer,
    advance,
    now: () => now,
    end: (at: Instant, release: Ending['release']) => void endings.push({ at, release }),
    writes: () => ({ swaps, eased }),
  };
}

/** A platform whose latency rises with load, under a source that takes each slot there is, all in simulated time. */
export async function ease({ say }: BenchOptions): Promise<Measure[]> {
  const { pacer, advance, now, end, writes } = simulation();
  const free = Array<Instant>(SERVERS).fill(0);
  let chance = 1;
  const random = (): number => (chance = (chance * 48_271) % 2_147_483_647) / 2_147_483_647;
  const answer = async (): Promise<{ at: Instant; took: Microseconds }> => {
    const { release } = await pacer.slot('live', new AbortController().signal);
    const at = now();
    const server = free.indexOf(Math.min(...free));
    const done = Math.max(at, free[server] as Instant) + WORK * (0.8 + 0.4 * random());
    free[server] = done;
    end(done, () => release('answered'));
    return { at, took: done - at };
  };

  const idle: Microseconds[] = [];
  for (let request = 0; request < IDLE_REQUESTS; request += 1) {
    idle.push((await answer()).took);
    await advance(now() + SECOND);
  }
  const begin = now() + WARM_UP;
  const busy: Microseconds[] = [];
  while (now() < begin + LENGTH) {
    const { at, took } = await answer();
    if (at >= begin) busy.push(took);
  }
  const used = busy.length / (LENGTH / SECOND) / CAPACITY;
  const p95 = percentile(busy, 0.95) / percentile(idle, 0.95);
  const { swaps, eased } = writes();
  say(`${busy.length} requests, ${eased} of ${swaps} changes of the row were slowings`);
  return [
    {
      what: 'p95 of a platform at its limit : idle',
      value: p95,
      unit: '×',
      aim: { atMost: 1.5 },
      note: 'simulated time',
    },
    {
      what: 'share of what that platform can bear',
      value: used,
      unit: '×',
      aim: { atLeast: 0.9 },
      note: `${CAPACITY}/s of ${PACE.requestsPerSecond}/s agreed`,
    },
  ];
}
