import { DAY } from '../../src/core/instant.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { WrongData } from './bench.ts';
import type { BenchOptions } from './bench.ts';
import { assertStored } from './checksum.ts';
import type { Dataset } from './dataset.ts';
import { DATA_PATH, TOKEN_PATH, openBenchedApi } from './push-api.ts';
import type { BenchedApi, Used } from './push-api.ts';
import { PUSH_SERIES } from './push-dataset.ts';
import { sendLoad } from './push-load.ts';
import type { Load, Loaded } from './push-load.ts';
import { copyRate } from './reference-copy.ts';
import type { Rig } from './rig.ts';

/** Connections that carry batches, single readings and token requests. */
export const CONNECTIONS = { batches: 16, posts: 64, tokens: 16 } as const;

/** How long a load without an end is watched, s, after its warm-up: an API runs for weeks, so V8 has compiled it. */
const TIMES = { warmUpSeconds: 3, seconds: 2 } as const;

/** The measures of a load, and the CPU and memory that the API and the database used for it. */
export interface Answered extends Loaded, Used {}

/** Everything measured once, one after the other, so that a slow machine slows down all of it. */
export interface Round {
  /** Rows a second. */
  readonly copy: number;
  readonly plain: Answered;
  readonly gzip: Answered;
  /** Insert loops, rows a second; each row is a commit. */
  readonly oneClient: number;
  readonly manyClients: number;
  readonly posts: Answered;
  readonly create: Answered;
  readonly renew: Answered;
}

/** One round in a new installation. Throws `WrongData` if it does not hold exactly the readings that were answered with 200. */
export async function measurePushRound(rig: Rig, dataset: Dataset, options: BenchOptions): Promise<Round> {
  const api = await openBenchedApi(rig, options);
  try {
    const singles = await measureSingles(api);
    const copy = await copyRate(api.room.url, dataset, 'text in time order');
    // A first load, not measured, lets the JIT compile the API.
    await sendLoad(batchLoad(api, Math.max(PUSH_SERIES, dataset.pointsPerSeries * 6), { gzip: false }));
    const plain = await pushBatches(api, dataset, { gzip: false });
    const gzip = await pushBatches(api, dataset, { gzip: true });
    const tokens = { url: api.url, path: TOKEN_PATH, connections: CONNECTIONS.tokens, basic: api.basic, ...TIMES };
    const create = await watched(api, { ...tokens, kind: 'create' });
    const renew = await watched(api, { ...tokens, kind: 'renew' });
    return { ...singles, copy, plain, gzip, create, renew };
  } finally {
    await api.close();
  }
}

/** The whole dataset into an empty table. */
async function pushBatches(api: BenchedApi, dataset: Dataset, { gzip }: { gzip: boolean }): Promise<Answered> {
  const { database } = api.room.context;
  await database.run('truncate reading');
  const points = dataset.pointsPerSeries * dataset.series.length;
  const answered = await watched(api, batchLoad(api, points, { gzip }));
  await assertStored(database, dataset);
  return answered;
}

const batchLoad = (api: BenchedApi, points: number, { gzip }: { gzip: boolean }): Load => ({
  ...ofData(api, CONNECTIONS.batches),
  kind: 'batches',
  points,
  gzip,
});

/** Single readings, compared with single inserts into the same table. */
async function measureSingles(api: BenchedApi): Promise<Pick<Round, 'oneClient' | 'manyClients' | 'posts'>> {
  const { database } = api.room.context;
  const from = Date.UTC(2026, 0, 5) * 1_000;
  await partitionsOf(database).ensure('reading', from, from + DAY);
  let rows = 0;
  const insert = async (clients: number): Promise<number> => {
    // Far above the numbers of real series.
    const firstSeries = 1_000_000 * clients;
    const load = { kind: 'inserts', databaseUrl: api.room.url, clients, firstSeries, from, ...TIMES } as const;
    const { answers, answersBefore, seconds } = await sendLoad(load);
    rows += answers + answersBefore;
    return answers / seconds;
  };
  const oneClient = await insert(1);
  const posts = await watched(api, { ...ofData(api, CONNECTIONS.posts), kind: 'posts', from, ...TIMES });
  const manyClients = await insert(CONNECTIONS.posts);
  const stored = (await database.row<{ count: number }>('select count(*) from reading'))?.count;
  const pushed = posts.answers + posts.answersBefore;
  if (stored !== rows + pushed) {
    throw new WrongData(`${stored} rows are stored, ${rows} were inserted and ${pushed} pushed`);
  }
  return { oneClient, manyClients, posts };
}

const ofData = ({ url, token }: BenchedApi, connections: number) => ({ url, token, path: DATA_PATH, connections });

async function watched(api: BenchedApi, load: Load): Promise<Answered> {
  let used = api.watch();
  const loaded = await sendLoad(load, () => {
    used = api.watch();
  });
  return { ...loaded, ...used() };
}
