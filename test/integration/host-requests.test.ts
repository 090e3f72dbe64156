import { expect, it } from 'vitest';
import { platforms } from '../../src/context-platforms.ts';
import { MINUTE } from '../../src/core/instant.ts';
import { countEnd, countRequest } from '../../src/core/request-counts.ts';
import type { RequestCounts } from '../../src/core/request-counts.ts';
import type { Database } from '../../src/database/database.ts';
import { requestsByHost } from '../../src/source/host-requests.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';

// The requests of several sources on one host add up, and are set against their paces together.

const databases = useDatabases();

/** A source at an address, which sent so many requests in minutes before `now`. */
async function sourceAt(
  database: Database,
  given: {
    readonly name: string;
    readonly url: string;
    readonly perSecond?: number;
    readonly minutesAgo: readonly number[];
  },
  now: number,
): Promise<void> {
  const { sourceId } = await storeSource(database, given.name);
  const pace = given.perSecond === undefined ? {} : { requestsPerSecond: given.perSecond };
  await database.run('update source set config = $2, platform = $3 where id = $1', [
    sourceId,
    JSON.stringify({ connection: { url: given.url }, pace }),
    'influxdb',
  ]);
  let counts: RequestCounts | undefined;
  for (const ago of given.minutesAgo.toSorted((one, other) => other - one))
    counts = countRequest(counts, now - ago * MINUTE, 'live');
  counts = countEnd(counts, { at: now - Math.min(...given.minutesAgo) * MINUTE, kind: 'live', ending: 'failed' });
  await database.run(`insert into pace (source_id, state, requests) values ($1, '{"holdUntil": 0}', $2)`, [
    sourceId,
    counts,
  ]);
}

it('shows each host with the requests of all its sources, the one closest to its pace first', async () => {
  const database = await databases.create();
  const { now = 0 } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? {};
  const plant = 'https://plant.example:8443';
  await sourceAt(database, { name: 'a', url: `${plant}/one`, perSecond: 0.01, minutesAgo: [5, 5, 5, 9] }, now);
  await sourceAt(database, { name: 'b', url: `${plant}/two`, perSecond: 0.02, minutesAgo: [7, 7, 7, 5, 5, 70] }, now);
  await sourceAt(database, { name: 'c', url: 'http://10.0.0.5', minutesAgo: [1] }, now);
  await storeSource(database, 'unused');

  const hosts = await requestsByHost(database, { listed: platforms, paces: new Map() });
  expect(
    hosts.map(({ host, all, allowed, fullestMinute, failed }) => [host, all, allowed, fullestMinute, failed]),
  ).toEqual([
    [plant, 9, 108, 5, 2],
    ['http://10.0.0.5', 1, 18_000, 1, 1],
    ['', 0, null, 0, 0],
  ]);
  expect(hosts[0]?.share).toBeCloseTo(9 / 108);
  expect(hosts[0]?.sources.map(({ name, all, allowed }) => [name, all, allowed])).toEqual([
    ['b', 5, 72],
    ['a', 4, 36],
  ]);

  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' };
  const { code, stdout } = await databridgeHere(['source', 'requests'], { env });
  expect(stdout).toMatch(/^https:\/\/plant\.example:8443 +2 +9 +5 +12 +108 +8 % +2$/m);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(code).toBe(0);
});

it('a host with many sources and no pace is told, and its pace bounds what is allowed', async () => {
  const database = await databases.create();
  const { now = 0 } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? {};
  const url = 'http://plant.example:8086/x';
  for (let index = 0; index < 20; index += 1)
    await sourceAt(database, { name: `source-${index}`, url, perSecond: 2, minutesAgo: [1] }, now);
  await database.run(`update source set config = jsonb_set(config, '{pace,burst}', '3')`);
  const [free] = await requestsByHost(database, { listed: platforms, paces: new Map() });
  expect(free).toMatchObject({ pace: null, fullestSecond: 100, allowed: 144_000 });
  expect(free?.advice).toContain('20 sources ask it, each at its own pace and may send 100 requests in one second');
  const paces = new Map([['plant.example:8086', 4]]);
  const [bound] = await requestsByHost(database, { listed: platforms, paces });
  expect(bound).toMatchObject({ pace: 4, fullestSecond: 4, allowed: 14_400, advice: null });
});
