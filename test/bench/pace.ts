import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../../src/core/duration.ts';
import { MINUTE } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { WrongData } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { READER } from './dataset.ts';
import { openRig, startPlant } from './rig.ts';
import type { Room } from './rig.ts';
import { usageOf } from './usage.ts';

const PACE = { requestsPerSecond: 20, burst: 5, concurrency: 4 } as const;
const WORKERS = 4;
const STREAMS = 8;
const WINDOW = MINUTE;

/** Each worker asks once for the fields of each measurement before it asks for windows. */
const FIELD_LISTS = WORKERS * STREAMS;

/** The plant answers each request after this time, so that several requests are open at once. */
const ANSWER_DELAY_MS = 50;

const FROM = Date.UTC(2026, 0, 5) * 1_000;

/** Several worker processes backfill a source with a pace: never faster than the pace, and hardly slower. */
export async function pace({ seconds, profile, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile });
  stack.defer(() => rig.close());
  const plant = await startPlant('point-plant.ts');
  stack.defer(() => plant.stop());
  await plant.faults({ kind: 'slow', delayMs: ANSWER_DELAY_MS });
  const room = await rig.room();
  stack.defer(() => room.close());
  const { database } = room.context;

  const windowsPerStream = Math.ceil((seconds * PACE.requestsPerSecond) / STREAMS);
  const groups = Array.from({ length: STREAMS }, (_, number) => `line-${number}`);
  await room.apply(
    {
      name: 'bench',
      connection: { url: plant.url, ...READER },
      schedule: { every: '1h', maxWindow: formatDuration(WINDOW), overlap: '0s' },
      pace: PACE,
    },
    groups,
  );
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => room.worker()));
  await sleep(1_000);
  const before = workers.map(({ pid }) => usageOf(pid)?.cpuSeconds ?? 0);
  const to = FROM + windowsPerStream * WINDOW;
  const backfill = { source: { name: 'bench' }, from: FROM, to, requestedBy: 'bench' };
  const id = await startBackfill(database, backfill);
  await untilDone(room, id, seconds);
  const cpu = workers.reduce((sum, { pid }, index) => sum + (usageOf(pid)?.cpuSeconds ?? 0) - (before[index] ?? 0), 0);

  const arrivals = (await plant.log()).map(({ arrivedMs }) => arrivedMs);
  const { maxInOneSecond: most } = await plant.stats();
  await assertEachWindowOnce(room, { from: FROM, to }, windowsPerStream * STREAMS);
  const workersUsed = (await database.rows('select distinct id from worker')).length;
  const share = shareOfAllowance(arrivals);
  say(`${arrivals.length} requests, ${most} in the fullest second, ${(share * 100).toFixed(1)} % of the allowance`);
  return [
    {
      what: 'most requests in any second',
      value: most,
      unit: 'requests',
      aim: { atMost: PACE.burst + PACE.requestsPerSecond },
      note: `${workersUsed} workers, ${STREAMS} streams, ${PACE.requestsPerSecond}/s, burst ${PACE.burst}, concurrency ${PACE.concurrency}`,
    },
    { what: 'share of the allowance used', value: share, unit: '×', aim: { atLeast: 0.95 }, note: 'steady part' },
    {
      what: 'requests : windows',
      value: arrivals.length / (windowsPerStream * STREAMS + FIELD_LISTS),
      unit: '×',
      aim: { atMost: 1 },
      note: `${FIELD_LISTS} lists of fields are counted as windows`,
    },
    { what: 'CPU of all workers', value: (cpu * 1_000) / arrivals.length, unit: 'ms/request' },
  ];
}

async function untilDone(room: Room, id: number, seconds: number): Promise<void> {
  const giveUpAt = performance.now() + seconds * 5_000 + 30_000;
  for (;;) {
    const row = await room.context.database.row<{ state: string }>('select state from backfill where id = $1', [id]);
    if (row?.state === 'done') return;
    if (performance.now() > giveUpAt) throw new Error('the backfill does not end');
    await sleep(100);
  }
}

/** Measured from two seconds after the first request, when the burst is used up, to 80 % of the requests, when the first streams end. */
function shareOfAllowance(arrivalsMs: readonly number[]): number {
  const [first = 0] = arrivalsMs;
  const begin = first + 2_000;
  const end = arrivalsMs[Math.floor(arrivalsMs.length * 0.8)] ?? begin;
  const steady = arrivalsMs.filter((at) => at >= begin && at < end).length;
  return steady / (((end - begin) / 1_000) * PACE.requestsPerSecond);
}

/** The plant has one point in each window. A live poll of the hour may fall into the run, and its points are none of the backfill. */
async function assertEachWindowOnce(room: Room, { from, to }: Window, windows: number): Promise<void> {
  const row = await room.context.database.row<{ readings: number }>(
    'select count(*) as readings from reading where at >= at_instant($1) and at < at_instant($2)',
    [from, to],
  );
  if (row?.readings !== windows) throw new WrongData(`${row?.readings} readings are stored instead of ${windows}`);
}
