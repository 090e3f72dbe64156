import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { hostPacesFindings } from '../../src/alerts/bridge-findings.ts';
import type { Check } from '../../src/alerts/judgement.ts';
import { overviewOf } from '../../src/alerts/overview.ts';
import { DEFAULT_RULES } from '../../src/alerts/rules.ts';
import { hostChecks } from '../../src/commands/actions/doctor-checks.ts';
import type { HostPaces } from '../../src/core/host-pace.ts';
import { MILLISECOND, SECOND } from '../../src/core/instant.ts';
import { presenceOf } from '../../src/database/presence.ts';
import type { Presence } from '../../src/database/presence.ts';
import { vitalsOf } from '../../src/source/vitals.ts';
import { sharedAccountOf } from '../../src/pull/open/account.ts';
import { pacedHostsOf } from '../../src/pace/host-pacer.ts';
import { hostPaceRowsOf, paceRowsOf } from '../../src/pace/pace-rows.ts';
import { pacerOf } from '../../src/pace/pacer.ts';
import type { Pacer } from '../../src/platform/connection/index.ts';
import { keepAlive } from '../kit/alive.ts';
import { useDatabases } from '../kit/databases.ts';
import { logPace, loggedPaces, slotsOf } from '../kit/pace-log.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { storeSource } from '../kit/stored-source.ts';
import { clock } from './pacer-host.ts';

const databases = useDatabases();
const never = new AbortController().signal;
const PACE = { requestsPerSecond: 100, burst: 10, concurrency: 4, quietHours: [] };
const url = new URL('http://historian.plant.example:8086/query');

it('the sources of a host share its pace over processes, for live beside history, and none exceeds its own', async () => {
  const database = await databases.create();
  await logPace(database.pool);
  const names = ['a', 'b', 'c', 'd'];
  const ids = await Promise.all(names.map(async (name) => (await storeSource(database, name)).sourceId));
  const slow = ids[0] as number;
  const processes = await Promise.all(
    [1, 2, 3].map(async () => {
      const own = await databases.another(database);
      const workerId = randomUUID();
      await keepAlive(own, workerId);
      const paces = new Map([['historian.plant.example', 40]]);
      const hosts = pacedHostsOf({ rows: hostPaceRowsOf(own), paces, now: clock });
      const rows = paceRowsOf(own);
      return new Map(
        ids.map((sourceId): [number, Pacer] => [
          sourceId,
          pacerOf({
            database: own,
            rows,
            account: sharedAccountOf(own, 'account'),
            revision: 1,
            sourceId,
            workerId,
            now: clock,
            pace: sourceId === slow ? { ...PACE, requestsPerSecond: 5, burst: 1 } : PACE,
            hosts,
          }),
        ]),
      );
    }),
  );
  const granted = { live: 0, history: 0 };
  const liveDone = new AbortController();
  const ask = async (pacer: Pacer, lane: 'live' | 'history', signal: AbortSignal): Promise<void> => {
    const slot = await pacer.slot(lane, signal, { url });
    granted[lane] += 1;
    await slot.release();
  };
  const live = async (pacer: Pacer, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await ask(pacer, 'live', never);
  };
  const history = async (pacer: Pacer): Promise<void> => {
    // History that finds no slot beside live rests.
    while (!liveDone.signal.aborted) await ask(pacer, 'history', liveDone.signal).catch(() => undefined);
  };
  const pacers = processes.flatMap((process) => [...process]);
  const histories = pacers.map(([, pacer]) => history(pacer));
  await Promise.all(pacers.map(([id, pacer]) => live(pacer, id === slow ? 2 : 8)));
  liveDone.abort();
  await Promise.all(histories);

  const taken = await Promise.all(ids.map(async (id) => slotsOf(await loggedPaces(database.pool, id))));
  const all = taken.flat();
  expect(all.length).toBeGreaterThanOrEqual(78);
  const at = all.map((slot) => slot.at).toSorted((one, other) => one - other);
  const least = Math.min(...at.slice(1).map((later, index) => later - (at[index] ?? 0)));
  expect(least).toBeGreaterThanOrEqual(SECOND / 40);
  expect(mostInAnySecond(at.map((one) => one / MILLISECOND))).toBeLessThanOrEqual(40);
  expect(mostInAnySecond(taken[0]?.map((slot) => slot.at / MILLISECOND) ?? [])).toBeLessThanOrEqual(6);
  // What history gets beside live depends on how busy this machine is.
  expect(granted.live).toBe(78);
});

it('a source whose host has no pace writes its own row as often as without the setting', async () => {
  const database = await databases.create();
  const { sourceId } = await storeSource(database);
  const paces = new Map([['other.example', 1]]);
  const hosts = pacedHostsOf({ rows: hostPaceRowsOf(database), paces, now: clock });
  const account = sharedAccountOf(database, 'account');
  const given = { database, rows: paceRowsOf(database), account, revision: 1, sourceId, workerId: randomUUID() };
  const pacer = pacerOf({ ...given, now: clock, pace: PACE, hosts });
  const version = async (): Promise<number> =>
    (await database.row<{ version: number }>('select version::int from pace'))?.version ?? 0;
  await (await pacer.slot('live', never, { url })).release();
  const before = await version();
  await (await pacer.slot('live', never, { url })).release();
  expect((await version()) - before).toBe(2);
  expect(await database.rows('select 1 from host_pace')).toEqual([]);
});

it('doctor has a line for a host with a pace, and for one that many sources ask without one', async () => {
  const database = await databases.create();
  const sources = Array.from({ length: 20 }, (_, index) => `source-${index}`);
  for (const name of sources) await storeSource(database, name);
  await database.run(
    `update source set platform = 'influxdb', config = jsonb_build_object('connection', jsonb_build_object('url', 'http://historian.example:8086'),
       'pace', '{"requestsPerSecond": 2, "burst": 3}'::jsonb)`,
  );
  const linesFor = async (paces: HostPaces): Promise<Check[]> => hostChecks(database, paces, await vitalsOf(database));
  expect(await linesFor(new Map())).toEqual([
    {
      check: 'host',
      state: 'ok',
      detail:
        'http://historian.example:8086: 20 sources ask it, each at its own pace and may send 100 requests in one second together; DATABRIDGE_HOST_PACES bounds them',
    },
  ]);
  const paced = new Map([['historian.example', 7]]);
  expect(await linesFor(paced)).toEqual([
    {
      check: 'host',
      state: 'ok',
      detail: 'http://historian.example:8086 gets 7 requests a second from all sources at most',
    },
  ]);
  await database.run(`delete from source where name <> 'source-0'`);
  expect(await linesFor(new Map())).toEqual([]);
});

it('processes with different paces of hosts are named, until they agree', async () => {
  const database = await databases.create();
  const given = new Map([
    ['historian.example', 7],
    ['other.example', 1],
  ]);
  const process = (hostPaces?: HostPaces): Presence =>
    presenceOf(database, randomUUID(), 'test', hostPaces === undefined ? {} : { hostPaces });
  const detail = async (): Promise<string[]> =>
    hostPacesFindings(await vitalsOf(database)).map((finding) => finding.detail.replaceAll(/\S+:\d+/g, 'process'));
  // The order of the hosts makes no difference, and one of before says nothing.
  const agreeing = [process(given), process(new Map([...given].toReversed())), process()];
  for (const one of agreeing) await one.beat();
  expect(await detail()).toEqual([]);
  expect(await hostChecks(database, given, await vitalsOf(database))).toEqual([]);
  expect(await hostChecks(database, new Map(), await vitalsOf(database))).toMatchObject([{ state: 'warning' }]);
  const without = process(new Map());
  await without.beat();
  await without.beat();
  expect(await detail()).toEqual([
    'process has another DATABRIDGE_HOST_PACES than process, process, so a host may be asked faster than one of them says',
  ]);
  const limits = DEFAULT_RULES.limits;
  const { troubles } = await overviewOf(database, { limits, isEmbedded: false });
  expect(troubles.map(({ kind }) => kind)).toContain('settings');
  await without.leave();
  expect(await detail()).toEqual([]);
});
