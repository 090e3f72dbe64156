import { expect, it } from 'vitest';
import { clockFindings } from '../../src/alerts/bridge-findings.ts';
import { MINUTE } from '../../src/core/instant.ts';
import { listSources } from '../../src/source/report.ts';
import { vitalsOf } from '../../src/source/vitals.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { eventually } from './daemon-rig.ts';
import { useHosts } from './host-ground.ts';

// The clock of a host disagrees with the database's. That host plans and polls nothing; other hosts go on.

const databases = useDatabases();
const startHost = useHosts();

it('a host whose clock disagrees polls nothing and is told; another host and the same host set right poll', async () => {
  const url = await databases.createMigrated();
  let ahead: number | undefined = 3 * MINUTE;
  const { context } = await startHost(url, { ahead: () => ahead });
  const { database } = context;
  await storeSource(database);
  const isDue = async (): Promise<boolean> =>
    (
      await database.row<{ due: boolean }>(
        'select due_at <= now() and last_fault is null as due from work join source on source.id = work.id',
      )
    )?.due === true;
  // The heartbeat after the registration shows that the planner would have come by several times.
  const told = await eventually('two heartbeats of the host', async () => {
    const vitals = await vitalsOf(database);
    const beats = await database.row<{ later: boolean }>(
      "select beat_at > (select created_at from source) + interval '4 s' as later from worker",
    );
    return beats?.later === true && vitals;
  });
  expect(await isDue()).toBe(true);
  expect(clockFindings(told)).toMatchObject([
    {
      state: 'failed',
      detail: expect.stringMatching(/^polls nothing: its clock shows .*Z, the database's .*Z \(3m apart\)$/) as string,
    },
  ]);
  expect((await listSources(database)).map(({ clocksDisagree }) => clocksDisagree)).toEqual([true]);

  await startHost(url, { ahead: () => undefined });
  await eventually('the other host works on the source', async () => !(await isDue()));
  expect((await listSources(database)).map(({ clocksDisagree }) => clocksDisagree)).toEqual([false]);

  ahead = undefined;
  await eventually(
    'the heartbeat of the host that was set right',
    async () => clockFindings(await vitalsOf(database)).length === 0,
  );
});
