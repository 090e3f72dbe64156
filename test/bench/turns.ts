import { setTimeout as sleep } from 'node:timers/promises';
import type { Microseconds } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { WrongData, percentile } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { READER } from './dataset.ts';
import { BROKEN } from './influx-plant.ts';
import { openRig, startPlant } from './rig.ts';

const STREAMS = 200;

/** One stream in this many fails for ever. */
const BROKEN_EVERY = 10;

/** So slow that the pace decides how long a turn takes, and not this machine: eight seconds. */
const PACE = { requestsPerSecond: 25, burst: 5, concurrency: 2 } as const;

/** The streams that answer must have been asked this often, because less shows no turns. */
const FEWEST_TURNS = 3;

/**
 * Two sources of 200 streams on one worker at the same time: all streams of the one answer, one in ten of the other fails for
 * ever. The streams that answer must not wait for those that fail.
 */
export async function turns({ seconds, profile, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile });
  stack.defer(() => rig.close());
  const plant = await startPlant('point-plant.ts');
  stack.defer(() => plant.stop());
  const room = await rig.room();
  stack.defer(() => room.close());
  const { database } = room.context;

  const source = (name: string): Record<string, unknown> => ({
    name,
    connection: { url: plant.url, ...READER },
    schedule: { every: '1s', settle: '0s', overlap: '0s', align: '1ms' },
    pace: PACE,
  });
  const numbers = Array.from({ length: STREAMS }, (_, number) => number);
  await room.apply(
    source('all-answer'),
    numbers.map((number) => `sound-${number}`),
  );
  await room.apply(
    source('some-fail'),
    numbers.map((number) => (number % BROKEN_EVERY === 4 ? `${BROKEN}${number}` : `other-${number}`)),
  );
  await room.worker();
  await sleep(seconds * 1_000);

  const before = await lagsOf(database, 'all-answer');
  const beside = await lagsOf(database, 'some-fail');
  const p99 = (lags: readonly Microseconds[]): number => percentile(lags, 0.99) / 1_000;
  say(
    `${before.length} and ${beside.length} windows, lag p99 ${p99(before).toFixed(0)} and ${p99(beside).toFixed(0)} ms`,
  );
  const note = `${STREAMS} streams, ${PACE.requestsPerSecond} requests/s`;
  return [
    { what: 'lag p99, all streams answer', value: p99(before), unit: 'ms', note },
    { what: 'lag p99, one in ten fails for ever', value: p99(beside), unit: 'ms', note: 'of the others' },
    { what: 'lag p99, with failures : without', value: p99(beside) / p99(before), unit: '×', aim: { atMost: 1.1 } },
  ];
}

/** How far the coverage of each stream that answers was behind whenever it was asked again. */
async function lagsOf(database: Database, source: string): Promise<Microseconds[]> {
  const rows = await database.rows<{ stream: number; lag: Microseconds | null }>(
    `select stream_id as stream, instant_of(asked_at) - instant_of(lag(to_at) over (partition by stream_id order by asked_at)) as lag
     from window_log join source on source.id = source_id where source.name = $1 and lane = 'live'`,
    [source],
  );
  const lags = rows.flatMap(({ lag }) => (lag === null ? [] : [lag]));
  const streams = new Set(rows.map(({ stream }) => stream)).size;
  const wanted = source === 'all-answer' ? STREAMS : STREAMS - STREAMS / BROKEN_EVERY;
  if (streams !== wanted) throw new WrongData(`${streams} streams of ${source} were read, not ${wanted}`);
  if (lags.length < FEWEST_TURNS * streams) throw new Error(`${source}: too few turns; watch for longer (--seconds)`);
  return lags;
}
