import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MILLISECOND } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import { logPace, loggedPaces, requestsWithoutSlot, slotsOf } from '../kit/pace-log.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import type { RecordedRequest } from '../../src/simulator/recorder.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import {
  ACCOUNT,
  dataRequests,
  device,
  differences,
  livingPlant,
  NONE,
  startPlant,
  thingsboard,
} from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';
import { startMirror } from './mirror.ts';
import type { Mirror } from './mirror.ts';

// The requests that a platform gets, from the first check to a backfill of two processes: never more than the pace, live
// before history, none in quiet hours. And no place where the bridge keeps or prints a secret.

/** How far a process's idea of the database's clock may be off while the machine is busy. */
const CLOCKS_MS = 500;
const PACE = { requestsPerSecond: 8, burst: 4, concurrency: 2 };
const spec = livingPlant([device(1, 5_000), device(2, 5_000), device(3, 5_000)], 6);
const quietSpec = livingPlant([device(11)], 1);

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let quiet: Plant;
let mirror: Mirror;
/** Everything that the bridge printed or stored. */
const texts: string[] = [];

beforeAll(async () => {
  [rig, plant, quiet, mirror] = await Promise.all([
    startRig(databases),
    startPlant({ truth: spec, accessSeconds: 10 }),
    startPlant({ truth: quietSpec }),
    startMirror(),
  ]);
  await logPace(rig.client);
});

afterAll(async () => {
  await rig.close();
  await Promise.all([plant.stop(), quiet.stop(), mirror.close()]);
});

const source = (): Record<string, unknown> =>
  thingsboard('polite', plant.url, {
    schedule: { every: '1s', start: '10m', settle: '1s', overlap: '0s', maxWindow: '10m' },
    pace: PACE,
  });

const isLive = ({ toMs, arrivedMs }: { toMs: number; arrivedMs: number }): boolean => arrivedMs - toMs < 30_000;

/** The most requests that were open at one time. Requests that end and begin in the same millisecond do not overlap. */
function mostAtOnce(log: readonly RecordedRequest[]): number {
  const changes = log.flatMap(({ arrivedMs, finishedMs }) => [
    { at: arrivedMs, change: 1 },
    { at: finishedMs ?? Infinity, change: -1 },
  ]);
  changes.sort((one, other) => one.at - other.at || one.change - other.change);
  let open = 0;
  return Math.max(...changes.map(({ change }) => (open += change)));
}

test('a platform gets no request in its quiet hours', async () => {
  const now = new Date();
  const clock = (add: number): string => {
    const minutes = (now.getUTCHours() * 60 + now.getUTCMinutes() + add + 1_440) % 1_440;
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  };
  const quietHours = [{ from: clock(-10), to: clock(60), zone: 'UTC' }];
  await rig.apply(thingsboard('quiet', quiet.url, { pace: { ...PACE, quietHours } }));
  const state = await eventually('the silence', async () => {
    const found = await rig.source('quiet');
    return found.heldUntilMs !== null ? found : new Waiting(found);
  });
  expect(state).toMatchObject({ state: 'active', failures: 0, fault: { code: 'throttled' } });
  expect(await quiet.log()).toEqual([]);
});

test('checks, discovery, logins, polls and a backfill of two processes together never exceed the pace, and live goes on', async () => {
  const file = join(rig.bridge.home, 'polite.yaml');
  await writeFile(file, JSON.stringify(source()));
  texts.push(await rig.bridge.succeed('source', 'check', file, '--json'));
  // A check takes its slots from a pacer of its own process.
  const checked = (await plant.log()).length;
  await rig.bridge.succeed('source', 'apply', file);
  const worker = await rig.bridge.up('worker');
  await rig.covered('polite', Date.now());
  const fromMs = Math.ceil(spec.firstMs / 1000) * 1000 + 3_600_000;
  // Slow answers would pile up without a limit on open requests.
  await plant.simulator().faults({ kind: 'slow', delayMs: 400, match: '/values/', next: 40 });
  const begun = (await plant.log()).length;
  await rig.bridge.succeed('backfill', 'start', 'polite', '--from', new Date(fromMs).toISOString(), '--detach');
  // Live goes on beside the backfill: it asks every stream for the moving edge.
  const during = await eventually('live windows beside the backfill', async () => {
    const asked = dataRequests((await plant.log()).slice(begun));
    const live = asked.filter(isLive);
    const past = asked.filter((request) => !isLive(request));
    const each = spec.devices.map(({ id }) => live.filter((request) => request.device === id).length);
    return past.length > 60 && Math.min(...each) > 5 ? asked : new Waiting({ past: past.length, each });
  });
  expect(during.length).toBeGreaterThan(60);
  await rig.bridge.succeed('source', 'poll', 'polite');
  texts.push(await rig.bridge.succeed('source', 'show', 'polite', '--json'));
  const untilMs = Date.now();
  await rig.covered('polite', untilMs);
  await eventually('the backfill', async () => {
    const { rows } = await rig.client.query<{ state: string }>('select state from backfill');
    return rows.every(({ state }) => state === 'done') || new Waiting(rows);
  });
  expect(await differences(rig.client, spec, { fromMs, toMs: untilMs })).toEqual(NONE);
  const log = await plant.log();
  expect(log.length).toBeGreaterThan(100);
  expect(log.filter(({ path }) => path.startsWith('/api/auth/')).length).toBeGreaterThan(2);
  const slots = slotsOf(await loggedPaces(rig.client, (await rig.source('polite')).id));
  const most = PACE.burst + PACE.requestsPerSecond;
  expect(mostInAnySecond(slots.map(({ at }) => at / MILLISECOND))).toBeLessThanOrEqual(most);
  const arrivals = log.map(({ arrivedMs }) => arrivedMs);
  expect(requestsWithoutSlot(slots, arrivals.slice(checked), CLOCKS_MS)).toEqual([]);
  expect(mostInAnySecond(arrivals.slice(0, checked))).toBeLessThanOrEqual(most);
  // A concurrency that was not reached would prove nothing.
  expect(mostAtOnce(log)).toBe(PACE.concurrency);
  expect((await worker.stop(30_000)).code).toBe(0);
  texts.push(worker.output());
});

test('no password and no token is stored or printed in clear, although a platform repeats the requests it gets', async () => {
  await rig.apply(thingsboard('echo', mirror.url), thingsboard('parrot', `${mirror.url}/refusing`));
  for (const name of ['echo', 'parrot']) {
    const { fault } = await eventually(`the fault of ${name}`, async () => {
      const state = await rig.source(name);
      return state.fault === null ? new Waiting(state) : state;
    });
    // The page of the platform was kept, and only its secrets were taken out.
    expect(JSON.stringify(fault)).toContain('you sent');
  }
  const commands = [
    ['list', '--json'],
    ...['polite', 'echo', 'parrot'].flatMap((name) => [
      ['show', name, '--json'],
      ['show', name],
    ]),
  ];
  for (const command of commands) {
    const { stdout, stderr } = await rig.bridge.answer('source', ...command);
    texts.push(stdout, stderr);
  }
  texts.push(rig.daemon.output());
  const { rows: tables } = await rig.client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(15);
  for (const { name } of tables) {
    const { rows } = await rig.client.query<{ text: string | null }>(
      `select string_agg(whole::text, ' ') as text from ${name} as whole`,
    );
    texts.push(rows[0]?.text ?? '');
  }
  const everything = texts.join('\n');
  expect(everything).toContain(ACCOUNT.username);
  expect(everything).toContain('echo');
  for (const secret of mirror.secrets) expect(everything.includes(secret), secret).toBe(false);
  // The tokens of the simulator are JWTs signed with HS256. Sealed secrets begin like them, but name another algorithm.
  const heads = new Set(everything.match(/eyJ[\w-]+(?=\.)/g)?.map((head) => Buffer.from(head, 'base64url').toString()));
  expect(heads.size).toBeGreaterThan(0);
  expect([...heads].filter((head) => head.includes('HS256'))).toEqual([]);
});
