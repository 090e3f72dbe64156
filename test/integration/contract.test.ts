import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { countEnd, countRequest } from '../../src/core/request-counts.ts';
import type { RequestKind } from '../../src/core/request-counts.ts';
import type { Database } from '../../src/database/database.ts';
import { countRequestHours } from '../../src/upkeep/request-hours.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// What the bridge promises to those who run a platform, and what it did.

const databases = useDatabases();
let database: Database;
let api: OperatorApiUnderTest;
let anna: SignedIn;
const SOURCE = '/api/v1/sources/default/hall-3';

/** The month before this one. */
const MONTH = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1)).toISOString().slice(0, 7);

beforeAll(async () => {
  database = await databases.create();
  const { sourceId } = await storeSource(database, 'hall-3');
  const config = {
    name: 'hall-3',
    project: 'project',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: 'https://plant.example:8086/influx', username: 'reader', password: 'hunter2-of-the-plant' },
    options: { database: 'plant' },
    schedule: { every: '1m', maxWindow: '2h' },
    pace: {
      requestsPerSecond: 0.5,
      burst: 5,
      concurrency: 2,
      quietHours: [{ from: '22:00', to: '06:00', zone: 'Etc/UTC' }],
    },
  };
  await database.run('update source set config = $2, kind = $3, platform = $4 where id = $1', [
    sourceId,
    JSON.stringify(config),
    config.kind,
    config.platform,
  ]);
  await database.run(
    `insert into window_sum (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late)
     select $1, ($2 || '-03T00:00:00Z')::timestamptz + hour * interval '1 hour', lane, 10, 1, requests, 1000, 50, 0, 0, 0, 0
     from (values (8, 'live', 60), (9, 'live', 1800), (9, 'history', 6), (23, 'live', 2), (6, 'live', 3), (900, 'live', 9000))
       as hours (hour, lane, requests)`,
    [sourceId, MONTH],
  );
  api = await startOperatorApi(database);
  anna = await api.operator('anna', 'viewer');
});

afterAll(async () => {
  await api?.close();
});

let paces: Readonly<Record<string, string>> = {};

const command = async (...args: readonly string[]): Promise<string> => {
  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere', ...paces };
  return (await databridgeHere(['source', ...args], { env })).stdout;
};

it('the contract says what may be asked and with which credentials, without a secret', async () => {
  const { json } = await api.send('GET', `${SOURCE}/contract`, { as: anna });
  expect(json).toMatchObject({
    source: 'hall-3',
    hosts: ['https://plant.example:8086'],
    credentials: [
      { field: 'username', value: 'reader' },
      { field: 'password', value: null },
    ],
    requests: { perSecond: 0.5, burst: 5, inASecond: 5, inADay: 43_205, atATime: 2 },
    quietHours: [{ from: '22:00', to: '06:00', zone: 'Etc/UTC' }],
    everySeconds: 60,
    longestWindowSeconds: 7_200,
  });
  expect(JSON.parse(await command('contract', 'hall-3', '--json'))).toEqual(json);
  const text = await command('contract', 'hall-3');
  expect(text).toMatch(/^# What the bridge asks of https:\/\/plant.example:8086$/m);
  expect(text).toMatch(/no request from 22:00 to 06:00 \(Etc\/UTC\)/);
  expect(text).toMatch(/username reader, password \(secret\)/);
  expect(text + JSON.stringify(json)).not.toContain('hunter2');
  expect(json).toMatchObject({ hostPaces: [] });
  paces = { DATABRIDGE_HOST_PACES: 'plant.example=4, other.example=1' };
  expect(await command('contract', 'hall-3')).toMatch(/^- plant.example: at most 4 a second from all sources/m);
  paces = {};
});

it('the receipt sums the hours of the month alone, and names those in which the promise was not kept', async () => {
  const json = (await api.send('GET', `${SOURCE}/receipt?month=${MONTH}`, { as: anna })).json as Record<
    string,
    unknown
  >;
  const at = (hour: string): string => formatInstant(Date.parse(`${MONTH}-03T${hour}:00:00Z`) * 1_000);
  expect(json).toMatchObject({
    requests: 1_871,
    bytes: 5_000,
    windows: 50,
    readings: 250,
    countedFrom: formatInstant(Date.parse(json.to as string) * 1_000),
    kinds: null,
    busiestMinute: null,
    busiestHour: { hour: at('09'), requests: 1_806, allowed: 1_805 },
    busiestSecond: null,
    broken: [
      { hour: at('09'), what: 'rate', requests: 1_806, allowed: 1_805 },
      { hour: at('23'), what: 'quiet-hours', requests: 2, allowed: 0 },
    ],
  });
  expect(JSON.parse(await command('receipt', 'hall-3', '--month', MONTH, '--json'))).toEqual(json);
  expect(await command('receipt', 'hall-3', '--month', MONTH)).toMatch(
    /not kept in:\n.*09:00:00Z: more requests than the pace allows, 1,?806 instead of 1,?805\n.*requests in quiet hours/,
  );
});

it('each request counts once, in the minute of its slot, also one that failed or was no window', async () => {
  const began = Date.parse(`${MONTH}-03T12:00:00Z`) * 1_000;
  const [minute, hour] = [60_000_000, 3_600_000_000];
  const counts = (
    requests: readonly (readonly [minutes: number, kind: RequestKind, times: number])[],
    failed: number,
  ) => {
    let text: string | undefined;
    for (const [minutes, kind, times] of requests)
      for (let one = 0; one < times; one += 1) text = countRequest(text, began + minutes * minute, kind);
    return countEnd(text, { at: began + failed * minute, kind: 'live', ending: 'failed' });
  };
  const hold = async (text: string | undefined, now: number) => {
    await database.run(
      `insert into pace (source_id, state, requests) select id, '{}', $1 from source
       on conflict (source_id) do update set requests = excluded.requests`,
      [text],
    );
    // Twice: another process, or a restored database.
    for (let time = 0; time < 2; time += 1) await countRequestHours(database, now);
  };
  // The hour in which counting begins is left to the windows.
  await hold(counts([[-30, 'live', 7]], -30), began);
  // The newest minutes are not over yet, and count later.
  const text = counts(
    [
      [50, 'live', 4],
      [50, 'login', 1],
      [58, 'look', 2],
      [61, 'history', 40],
      [69, 'live', 3],
    ],
    50,
  );
  await hold(text, began + hour + 10 * minute);
  await hold(text, began + hour + 30 * minute);
  const { json } = await api.send('GET', `${SOURCE}/receipt?month=${MONTH}`, { as: anna });
  expect(json).toMatchObject({
    countedFrom: formatInstant(began),
    // The later hour that only windows tell of is one without a counted request.
    requests: 60 + 1_806 + 3 + 50,
    kinds: { live: 7, history: 40, look: 2, login: 1, failed: 1 },
    busiestMinute: { minute: formatInstant(began + 61 * minute), requests: 40, allowed: 35 },
    busiestSecond: { minute: formatInstant(began + 61 * minute), requests: 40, allowed: 5 },
  });
  expect((json as { readonly broken: unknown }).broken).toContainEqual({
    hour: formatInstant(began + 61 * minute),
    what: 'minute',
    requests: 40,
    allowed: 35,
  });
  expect(await command('receipt', 'hall-3', '--month', MONTH)).toMatch(
    /7 of polls, 40 of history, 2 of looks for sensors and checks, 1 of logins; 1 of all failed/,
  );
});

it('a month that is none, or has not begun, is refused', async () => {
  for (const month of ['2026-13', 'november', '9999-01', '']) {
    const { status } = await api.send('GET', `${SOURCE}/receipt?month=${month}`, { as: anna });
    expect(status, month).toBeGreaterThanOrEqual(400);
    expect(status, month).toBeLessThan(500);
  }
});
