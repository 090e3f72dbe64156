import { afterEach, expect, it } from 'vitest';
import { pino } from 'pino';
import { clockChecks } from '../../src/commands/actions/doctor-checks.ts';
import { openBridge } from '../../src/context-bridge.ts';
import type { OpenBridge } from '../../src/context-bridge.ts';
import { MINUTE } from '../../src/core/instant.ts';
import { startDaemon } from '../../src/pull/daemon.ts';
import type { Daemon } from '../../src/pull/daemon.ts';
import { readSettings } from '../../src/settings.ts';
import { listSources } from '../../src/source/report.ts';
import { vitalsOf } from '../../src/source/vitals.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { storeSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { eventually } from './daemon-rig.ts';

// The clock of a host disagrees with the database's. That host plans and polls nothing; other hosts go on.

const databases = useDatabases();
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A daemon on a host whose clock is `ahead` of the database's, µs. */
async function startHost(
  url: string,
  ahead: () => number | undefined,
): Promise<{ context: OpenBridge; daemon: Daemon }> {
  const home = await makeTempDirectory('clocks');
  const settings = readSettings({
    DATABASE_URL: url,
    DATABRIDGE_HOME: home.path,
    DATABRIDGE_KEY: SEALING_KEY,
    DATABRIDGE_DRAIN_SECONDS: '5',
  });
  const context = await openBridge({ patient: false, settings, log: pino({ level: 'silent' }) });
  const clock = { ...context.clock, disagreement: ahead };
  const daemon = await startDaemon({ ...context, clock }, 'test', new AbortController().signal);
  cleanups.push(
    () => home.remove(),
    () => context.close(),
    () => daemon.drain(),
  );
  return { context, daemon };
}

it('a host whose clock disagrees polls nothing and is told; another host and the same host set right poll', async () => {
  const url = await databases.createMigrated();
  let ahead: number | undefined = 3 * MINUTE;
  const { context } = await startHost(url, () => ahead);
  const { database } = context;
  await storeSource(database);
  const isDue = async (): Promise<boolean> =>
    (await database.row<{ due: boolean }>('select next_due_at <= now() and last_fault is null as due from source'))
      ?.due === true;
  // The heartbeat after the registration shows that the planner would have come by several times.
  const told = await eventually('two heartbeats of the host', async () => {
    const vitals = await vitalsOf(database);
    const beats = await database.row<{ later: boolean }>(
      "select beat_at > (select created_at from source) + interval '4 s' as later from worker",
    );
    return beats?.later === true && vitals;
  });
  expect(await isDue()).toBe(true);
  expect(clockChecks(told)).toMatchObject([
    {
      state: 'failed',
      detail: expect.stringMatching(/^polls nothing: its clock shows .*Z, the database's .*Z \(3m apart\)$/) as string,
    },
  ]);
  expect((await listSources(database)).map(({ clocksDisagree }) => clocksDisagree)).toEqual([true]);

  await startHost(url, () => undefined);
  await eventually('the other host works on the source', async () => !(await isDue()));
  expect((await listSources(database)).map(({ clocksDisagree }) => clocksDisagree)).toEqual([false]);

  ahead = undefined;
  await eventually(
    'the heartbeat of the host that was set right',
    async () => clockChecks(await vitalsOf(database)).length === 0,
  );
});
