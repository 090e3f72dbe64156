import { setTimeout as sleep } from 'node:timers/promises';
import { registry } from '../../src/context-registry.ts';
import { formatDuration } from '../../src/core/duration.ts';
import { MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Expected } from '../../src/core/quote.ts';
import { changeBackfill } from '../../src/source/backfill/change.ts';
import { quoteBackfill } from '../../src/source/backfill/quote.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { backfillState } from '../../src/source/backfill/state.ts';
import type { BackfillState } from '../../src/source/backfill/state.ts';
import { percentile } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { READER } from './dataset.ts';
import { openRig, startPlant } from './rig.ts';
import type { Room } from './rig.ts';

/** The pace with which live was slowed down the most; live needs a third of it. */
const PACE = { requestsPerSecond: 6, burst: 2, concurrency: 4 } as const;
const WORKERS = 4;
const STREAMS = 4;
const EVERY = 2 * SECOND;
const WINDOW = MINUTE;
const ANSWER_DELAY_MS = 50;
const FROM = Date.UTC(2025, 0, 5) * 1_000;
const YEAR = 365 * 24 * 60 * MINUTE;

/** The backfills whose quotes are compared with what they took, in windows of each stream. */
const QUOTED = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15];

/** A year's backfill beside live polls on four processes: what it does to the lag of live, what it uses, and what quotes are worth. */
export async function backfill({ seconds, profile, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile });
  stack.defer(() => rig.close());
  const plant = await startPlant('point-plant.ts');
  stack.defer(() => plant.stop());
  await plant.faults({ kind: 'slow', delayMs: ANSWER_DELAY_MS });
  const room = await rig.room();
  stack.defer(() => room.close());
  const { database } = room.context;
  const source = { name: 'bench' };
  await room.apply(
    {
      ...source,
      connection: { url: plant.url, ...READER },
      schedule: { every: formatDuration(EVERY), maxWindow: formatDuration(WINDOW), overlap: '0s', settle: '0s' },
      pace: PACE,
    },
    Array.from({ length: STREAMS }, (_, number) => `line-${number}`),
  );
  await Promise.all(Array.from({ length: WORKERS }, () => room.worker()));
  await sleep(3_000);
  const alone = await lagsWhile(room, seconds);
  const year = { source, from: FROM, to: FROM + YEAR, requestedBy: 'bench' };
  const long = await startBackfill(database, year);
  await sleep(3_000);
  const begun = Date.now();
  const beside = await lagsWhile(room, seconds);
  const arrivals = (await plant.log()).map(({ arrivedMs }) => arrivedMs).filter((at) => at >= begun);
  const ended = Date.now();
  const used = arrivals.filter((at) => at < ended).length / ((ended - begun) / 1_000) / PACE.requestsPerSecond;
  await changeBackfill(database, long, 'cancel', 'bench');
  const { maxInOneSecond: most } = await plant.stats();

  const errors: Record<'requests' | 'readings' | 'seconds', number[]> = { requests: [], readings: [], seconds: [] };
  let to = FROM;
  say(
    'backfill   windows           requests          readings          seconds, each quoted (least to most) and actual',
  );
  for (const windows of QUOTED) {
    const wish = { source, from: to - windows * WINDOW, to };
    const { quote } = await quoteBackfill(database, registry, wish, room.context.settings.windowReadings);
    const id = await startBackfill(database, { ...wish, quote, requestedBy: 'bench' });
    const { work, createdAt, finishedAt } = await untilEnded(room, id);
    to -= windows * WINDOW;
    const took = ((finishedAt ?? createdAt) - createdAt) / SECOND;
    const cells = [
      [quote.requests, work.requests],
      [quote.readings, work.readings],
      [quote.seconds ?? { expected: Infinity, least: 0, most: Infinity }, took],
    ] as const;
    say(
      `${String(id).padStart(8)}   ${`${quote.windows} ${work.windows}`.padEnd(18)}${cells.map(([quoted, actual]) => `${quoted.expected} (${quoted.least} to ${quoted.most}) ${Math.round(actual * 10) / 10}`.padEnd(24)).join('')}`,
    );
    errors.requests.push(off(quote.requests, work.requests));
    errors.readings.push(off(quote.readings, work.readings));
    errors.seconds.push(off(quote.seconds ?? quote.requests, took));
  }
  const p95 = (lags: readonly number[]): number => percentile(lags, 0.95) / 1_000;
  const note = `${WORKERS} workers, ${STREAMS} streams every ${formatDuration(EVERY)}, ${PACE.requestsPerSecond} requests/s`;
  return [
    { what: 'lag p95 of live, alone', value: p95(alone), unit: 'ms', note },
    { what: 'lag p95 of live, beside a backfill of a year', value: p95(beside), unit: 'ms' },
    { what: 'lag p95 of live, beside : alone', value: p95(beside) / p95(alone), unit: '×', aim: { atMost: 1.1 } },
    { what: 'share of the pace used beside live', value: used, unit: '×', aim: { atLeast: 0.95 / 1.02 } },
    {
      what: 'most requests in any second',
      value: most,
      unit: 'requests',
      aim: { atMost: PACE.burst + PACE.requestsPerSecond },
    },
    ...Object.entries(errors).map(([what, each]) => ({
      what: `quoted ${what}, furthest from the actual`,
      value: Math.max(...each),
      unit: '×' as const,
      note: `${QUOTED.length} backfills; 1 is exact`,
    })),
  ];
}

/** How many times the one is the other, at least 1. */
const off = ({ expected }: Expected, actual: number): number => Math.max(expected / actual, actual / expected);

async function untilEnded(room: Room, id: number): Promise<BackfillState> {
  for (const giveUpAt = performance.now() + 300_000; ;) {
    const state = await backfillState(room.context.database, id);
    if (state?.state === 'done') return state;
    if (performance.now() > giveUpAt) throw new Error('the backfill does not end');
    await sleep(50);
  }
}

/** How far behind the end of each live window was when it was stored, µs. */
async function lagsWhile({ context: { database } }: Room, seconds: number): Promise<number[]> {
  const now = async (): Promise<Instant> =>
    (await database.row<{ now: Instant }>('select instant_of(now()) as now'))?.now ?? 0;
  const from = await now();
  await sleep(seconds * 1_000);
  const rows = await database.rows<{ lag: number }>(
    `select instant_of(asked_at) - instant_of(to_at) + (waited_ms + http_ms + normalise_ms + store_ms) * 1000 as lag
     from window_log where lane = 'live' and asked_at >= at_instant($1)`,
    [from],
  );
  if (rows.length < STREAMS * 3) throw new Error('too few polls; watch for longer (--seconds)');
  return rows.map(({ lag }) => lag);
}
