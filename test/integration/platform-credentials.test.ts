import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// The platform invalidates tokens and changes a password while a daemon polls.

const spec = livingPlant(
  Array.from({ length: 6 }, (_, index) => device(index + 1)),
  1,
);
const NEW_PASSWORD = 'n3w-pa55-of-the-plant';

const databases = useDatabases();
let rig: Rig;
let plant: Plant;

beforeAll(async () => {
  [rig, plant] = await Promise.all([startRig(databases, ['hall', 'busy']), startPlant({ truth: spec, lockAfter: 3 })]);
  await rig.apply(source(ACCOUNT.password));
  await rig.covered('hall-3', Date.now());
});

afterAll(async () => {
  await rig.close();
  await plant.stop();
});

const source = (password: string): Record<string, unknown> =>
  thingsboard('hall-3', plant.url, {
    connection: { url: plant.url, username: ACCOUNT.username, password },
    schedule: { every: '500ms', start: '1h', settle: '1s', overlap: '0s' },
  });

interface Logins {
  readonly logins: number;
  readonly failedLogins: number;
  readonly locked: boolean;
}

async function accounts(): Promise<Logins> {
  const state = (await plant.simulator().admin('GET', 'state')) as { accounts: Record<string, Logins> };
  return state.accounts[ACCOUNT.username] ?? { logins: 0, failedLogins: 0, locked: false };
}

const differencesUntil = async (untilMs: number): Promise<unknown> => {
  await rig.covered('hall-3', untilMs);
  const { startMs } = await rig.source('hall-3');
  return differences(rig.client, spec, { fromMs: startMs, toMs: untilMs });
};

test.each(['access', 'all'] as const)(
  'after the platform invalidates tokens (%s) the source gets one fresh token and goes on',
  async (tokens) => {
    const before = await accounts();
    await plant.simulator().faults({ kind: 'invalidate-tokens', tokens, next: 1, match: '/values/' });
    const hit = await eventually('the fault', async () => {
      const [fault] = await plant.simulator().listFaults();
      return (fault?.hits ?? 0) > 0;
    });
    expect(hit).toBe(true);
    expect(await differencesUntil(Date.now() + 1_000)).toEqual(NONE);
    const after = await accounts();
    expect(after.logins - before.logins).toBe(tokens === 'all' ? 1 : 0);
    expect(after.failedLogins).toBe(0);
    expect(rig.complaints('hall-3')).toEqual([]);
    await plant.simulator().faultsOff();
  },
);

test('a password changed on the server stops the source after one confirmed refusal, and never locks the account', async () => {
  await plant.replace({ accounts: [{ ...ACCOUNT, password: NEW_PASSWORD }] });
  const stopped = await eventually('stopped', async () => {
    const state = await rig.source('hall-3');
    return state.state === 'stopped' ? state : new Waiting(state);
  });
  expect(stopped.fault).toMatchObject({ code: 'credentials-rejected', remedy: expect.stringMatching(/password/) });
  // A resumed source without a new password tries one more login.
  await rig.bridge.succeed('source', 'resume', 'hall-3');
  const again = await eventually('stopped again', async () => {
    const state = await rig.source('hall-3');
    return state.state === 'stopped' ? state : new Waiting(state);
  });
  expect(again.fault).toMatchObject({ code: 'credentials-rejected' });
  expect(await accounts()).toMatchObject({ failedLogins: 2, locked: false });
  // The stopped source sends no request, because a backfill of it is refused.
  const requests = (await plant.log()).length;
  expect(
    (await rig.bridge.answer('backfill', 'start', 'hall-3', '--from', new Date(spec.firstMs).toISOString())).code,
  ).not.toBe(0);
  expect((await plant.log()).length).toBe(requests);

  await rig.apply(source(NEW_PASSWORD));
  expect(await differencesUntil(Date.now())).toEqual(NONE);
  expect(await rig.source('hall-3')).toMatchObject({ state: 'active', failures: 0, fault: null });
  expect(await accounts()).toMatchObject({ logins: 1, failedLogins: 2 });
});

test('three processes that read one source log in only once, all together, after its password was changed', async () => {
  const past = livingPlant(spec.devices, 24);
  const busy = await startPlant({ truth: past, lockAfter: 2 });
  const workers = [await rig.bridge.up('worker'), await rig.bridge.up('worker')];
  try {
    await rig.apply(
      thingsboard('busy', busy.url, {
        project: 'busy',
        schedule: { every: '1s', start: '24h', settle: '1s', overlap: '0s', maxWindow: '10m' },
        pace: { requestsPerSecond: 30, burst: 10, concurrency: 6 },
      }),
    );
    await eventually('history of several streams in several processes', async () => {
      const { rows } = await rig.client.query<{ workers: number }>(
        `select count(distinct claimed_by)::int as workers from work join source on source.id = source_id where name = 'busy' and work.kind = 'history'`,
      );
      return (rows[0]?.workers ?? 0) >= 2 || new Waiting(rows);
    });
    await busy.replace({ accounts: [{ ...ACCOUNT, password: NEW_PASSWORD }] });
    await eventually('stopped', async () => (await rig.source('busy')).state === 'stopped');
    await eventually('nothing runs any more', async () => {
      const { rows } = await rig.client.query(
        `select from work join source on source.id = source_id where name = 'busy' and claimed_by is not null`,
      );
      return rows.length === 0;
    });
    const logins = (await busy.simulator().log()).filter(({ path }) => path === '/api/auth/login');
    expect(logins.map(({ status }) => status)).toEqual([401]);
    await rig.bridge.succeed('source', 'remove', 'busy', '--yes');
  } finally {
    for (const worker of workers) await worker.stop(30_000);
    await busy.stop();
  }
});
