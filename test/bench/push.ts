import { median } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { BATCH, PUSH_SERIES, pushDatasetOf } from './push-dataset.ts';
import { CONNECTIONS, measurePushRound } from './push-rounds.ts';
import { PROCESSES } from './push-api.ts';
import type { Answered, Round } from './push-rounds.ts';
import { openRig } from './rig.ts';

/** Readings and token requests over HTTP, compared with the same rows written to the same server without a bridge. */
export async function push(options: BenchOptions): Promise<Measure[]> {
  const dataset = pushDatasetOf(options.points / 2);
  const readings = dataset.pointsPerSeries * PUSH_SERIES;
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const rounds: Round[] = [];
  for (let run = 1; run <= options.runs; run += 1) {
    const round = await measurePushRound(rig, dataset, options);
    rounds.push(round);
    options.say(inShort(round, readings));
  }
  return [...batchMeasures(rounds, readings), ...postMeasures(rounds), ...tokenMeasures(rounds)];
}

const API = `processes of the API: ${PROCESSES}`;

type Of = (round: Round) => Answered;

const rate = ({ answers, seconds }: Answered): number => answers / seconds;
const middle = (rounds: readonly Round[], value: (round: Round) => number): number => median(rounds.map(value));

function inShort({ copy, plain, gzip, oneClient, manyClients, posts, create, renew }: Round, readings: number): string {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  return (
    `COPY ${whole(copy)}, batches ${whole(readings / plain.seconds)}, with gzip ${whole(readings / gzip.seconds)} /s; ` +
    `inserts ${whole(oneClient)} and ${whole(manyClients)}, posts ${whole(rate(posts))} /s; ` +
    `tokens created ${whole(rate(create))}, renewed ${whole(rate(renew))} /s`
  );
}

/** The CPU and memory that the API and PostgreSQL used for one unit of work. */
function costs(
  rounds: readonly Round[],
  name: string,
  of: Of,
  per: { n: (answered: Answered) => number; unit: string },
) {
  const each = (used: (answered: Answered) => number): number =>
    middle(rounds, (round) => used(of(round)) / per.n(of(round)));
  const busy = middle(rounds, (round) => of(round).coresBusy).toFixed(1);
  return [
    {
      what: `${name}, CPU of the API`,
      value: each(({ cpuSeconds }) => cpuSeconds),
      unit: per.unit,
      note: `PostgreSQL ${each(({ databaseCpuSeconds }) => databaseCpuSeconds).toPrecision(3)} ${per.unit}; ${busy} cores of the machine busy`,
    },
    { what: `${name}, peak RSS`, value: middle(rounds, (round) => of(round).peakRssMegabytes), unit: 'MB' },
  ];
}

const PLAIN = 'batches';

function batchMeasures(rounds: readonly Round[], readings: number): Measure[] {
  const ofOne = (name: string, of: Of): Measure[] => [
    {
      what: name,
      value: middle(rounds, (round) => readings / of(round).seconds),
      unit: 'readings/s',
      note: `bodies of ${BATCH}, ${CONNECTIONS.batches} connections, ${PUSH_SERIES} sensors, ${API}`,
    },
    {
      what: `${name} : COPY text`,
      value: middle(rounds, (round) => readings / of(round).seconds / round.copy),
      unit: '×',
      aim: { atLeast: name === PLAIN ? 0.75 : 0.7 },
    },
    ...costs(rounds, name, of, { n: () => readings / 1e6, unit: 's/million' }),
  ];
  return [
    {
      what: 'COPY text, time order',
      value: middle(rounds, ({ copy }) => copy),
      unit: 'rows/s',
      note: 'reference: the same rows, one connection, a table like one partition',
    },
    ...ofOne(PLAIN, ({ plain }) => plain),
    ...ofOne('batches with gzip', ({ gzip }) => gzip),
  ];
}

function postMeasures(rounds: readonly Round[]): Measure[] {
  const posts: Of = (round) => round.posts;
  const many = `insert loop, ${CONNECTIONS.posts} clients`;
  return [
    {
      what: 'insert loop, 1 client',
      value: middle(rounds, ({ oneClient }) => oneClient),
      unit: 'rows/s',
      note: 'reference: one prepared insert into reading a commit',
    },
    {
      what: many,
      value: middle(rounds, ({ manyClients }) => manyClients),
      unit: 'rows/s',
      note: 'the same, all at once',
    },
    {
      what: 'posts of one reading',
      value: middle(rounds, (round) => rate(round.posts)),
      unit: 'readings/s',
      note: `${CONNECTIONS.posts} connections, durable answers, ${API}`,
    },
    {
      what: 'posts : insert loop, 1 client',
      value: middle(rounds, (round) => rate(round.posts) / round.oneClient),
      unit: '×',
      aim: { atLeast: 3 },
    },
    { what: `posts : ${many}`, value: middle(rounds, (round) => rate(round.posts) / round.manyClients), unit: '×' },
    ...latencies(rounds, 'posts', posts),
    ...costs(rounds, 'posts', posts, { n: ({ answers }) => answers / 1_000, unit: 's/thousand' }),
  ];
}

const CREATED = 'tokens created';

function tokenMeasures(rounds: readonly Round[]): Measure[] {
  const ofOne = (name: string, of: Of): Measure[] => [
    {
      what: name,
      value: middle(rounds, (round) => rate(of(round))),
      unit: 'requests/s',
      note: `${CONNECTIONS.tokens} connections, ${API}`,
      ...(name === CREATED && { aim: { atLeast: 1_400 } }),
    },
    ...latencies(rounds, name, of),
    ...costs(rounds, name, of, { n: ({ answers }) => answers / 1_000, unit: 's/thousand' }),
  ];
  return [...ofOne(CREATED, ({ create }) => create), ...ofOne('tokens renewed', ({ renew }) => renew)];
}

const latencies = (rounds: readonly Round[], name: string, of: Of): Measure[] => [
  { what: `${name}, p50`, value: middle(rounds, (round) => of(round).p50Ms), unit: 'ms' },
  { what: `${name}, p99`, value: middle(rounds, (round) => of(round).p99Ms), unit: 'ms' },
];
