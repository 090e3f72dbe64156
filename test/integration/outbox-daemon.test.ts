import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { Waiting, eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { truthOf } from './outbox-rig.ts';
import { APPLICATION, SECRET } from './outbox-service-tokens.ts';
import { ORGANISATION, PROJECT, startService } from './outbox-service.ts';
import type { Service } from './outbox-service.ts';
import { dataRequests, device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A daemon hands one project over while the service is away. The plant of this project is not asked, the plant of another
// project is, and all readings arrive when the service is back.

/** More readings than the newest hour, which live brings at once, and few of the two days that history brings. */
const MOST_WAITING = 4_000;

const databases = useDatabases();
let rig: Rig;
let service: Service;
let plant: Plant;
let other: Plant;

beforeAll(async () => {
  [rig, service, plant, other] = await Promise.all([
    startRig(databases, ['hall', 'free'], { DATABRIDGE_APPLICATION_SECRET: SECRET }),
    startService(),
    startPlant({
      truth: livingPlant(
        [1, 2, 3].map((number) => device(number, 10_000)),
        48,
      ),
    }),
    startPlant({ truth: livingPlant([device(11)], 1) }),
  ]);
});

afterAll(async () => {
  await rig.close();
  await Promise.all([plant.stop(), other.stop(), service.close()]);
});

interface Held {
  readonly waiting: number;
  readonly full: boolean;
}

async function held(): Promise<Held> {
  const { rows } = await rig.client.query<Held>(
    `select (select coalesce(sum(readings), 0)::float8 from outbox) as waiting, full_since is not null as full from remote`,
  );
  return rows[0] ?? { waiting: 0, full: false };
}

const asked = async (of: Plant): Promise<number> => dataRequests(await of.log()).length;

test('a plant is not asked while the outbox is full, and all its readings arrive in the end', async () => {
  const { bridge, client } = rig;
  await bridge.succeed(
    ...`ingestion push hall --url ${service.url} --application ${APPLICATION}`.split(' '),
    ...`--remote-organisation ${ORGANISATION} --remote-project ${PROJECT} --most-waiting ${MOST_WAITING}`.split(' '),
  );
  service.fail({ kind: 'answer', status: 503 }, Infinity);
  const schedule = { every: '10s', start: '48h', settle: '1s', overlap: '0s' };
  const full = (pace: Record<string, number>): Record<string, unknown> =>
    thingsboard('full', plant.url, { pace, schedule });
  // Slow, so that history still has windows to ask for when the outbox is full.
  await rig.apply(
    full({ requestsPerSecond: 1, burst: 1, concurrency: 1 }),
    thingsboard('free', other.url, {
      project: 'free',
      schedule: { every: '1s', start: '1h', settle: '1s', overlap: '0s' },
    }),
  );
  await eventually('the outbox is full', async () => (await held()).full);
  // A request that is under way may still come back; after that there is silence.
  await eventually('nothing of the plant is under way', async () => {
    const { rows } = await client.query<{ claimed: number }>(
      `select count(*)::int as claimed from work join source on source.id = source_id where name = 'full' and claimed_by is not null`,
    );
    return rows[0]?.claimed === 0 || new Waiting(rows);
  });
  const before = { plant: await asked(plant), other: await asked(other), ...(await held()) };
  await sleep(4_000);
  await eventually('the other plant is asked', async () => (await asked(other)) > before.other + 2);
  expect(await asked(plant)).toBe(before.plant);
  expect(await held()).toEqual({ waiting: before.waiting, full: true });
  const { rows } = await client.query<{ due: boolean }>(
    `select count(*) > 0 as due from work join source on source.id = source_id where name = 'full' and work.kind = 'history'`,
  );
  expect(rows).toEqual([{ due: true }]);
  expect(await bridge.succeed('source', 'show', 'full')).toMatch(/the outbox of hall is full/);

  service.heal();
  await client.query('update remote set held_until = null');
  await eventually('the plant is asked again', async () => (await asked(plant)) > before.plant);
  // The rest of the past need not take as long, nor wait for the outbox again and again.
  await client.query('update remote set most_waiting = 1000000');
  await rig.apply(full({ requestsPerSecond: 50, burst: 5, concurrency: 2 }));
  await rig.covered('full', Date.now() - 2_000);
  await bridge.succeed('source', 'pause', 'full');
  await eventually('all readings arrived', async () => {
    const missing = (await truthOf(database())).length - service.stored().length;
    return (missing === 0 && (await held()).waiting === 0) || new Waiting({ missing, ...(await held()) });
  });
  await sleep(1_000);
  expect(service.stored()).toEqual(await truthOf(database()));
  expect(service.violations).toEqual([]);
  for (const secret of service.tokens.secrets()) expect(rig.daemon.output()).not.toContain(secret);
}, 900_000);

/** The daemon's database as `truthOf` asks it. */
const database = (): Parameters<typeof truthOf>[0] => ({
  rows: async <R extends object>(text: string) => (await rig.client.query<R>(text, ['hall'])).rows,
});
