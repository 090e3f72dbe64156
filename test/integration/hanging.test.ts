import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { dataRequests, device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { DataRequest, Plant } from './plant-simulator.ts';

// A process with two places for polls and one for history, and many more platforms that take a request and never answer.

const HANGING = Array.from({ length: 16 }, (_, index) => `hangs-${index + 1}`);
const WELL = [1, 2, 3, 4];

const spec = livingPlant(WELL.map((number) => device(number)));
const databases = useDatabases();
let rig: Rig;
let well: Plant;
let hanging: Plant;

beforeAll(async () => {
  [rig, well, hanging] = await Promise.all([
    startRig(databases, ['hall', ...HANGING], { DATABRIDGE_POLLS: '2', DATABRIDGE_HISTORY: '1' }),
    startPlant({ truth: spec }),
    startPlant({ truth: livingPlant([device(9)]) }),
  ]);
});

afterAll(async () => {
  await rig.close();
  await Promise.all([well.stop(), hanging.stop()]);
});

const unanswered = async (): Promise<DataRequest[]> =>
  dataRequests(await hanging.log()).filter(({ status }) => status === null);

/** Windows of each healthy source that were handed over so far, in order of the sources. */
async function polls(): Promise<number[]> {
  const { rows } = await rig.client.query<{ polls: number }>(
    `select count(*)::int as polls from window_log join source on source.id = source_id
     where name like 'well-%' and lane = 'live' group by name order by name`,
  );
  return rows.map((row) => row.polls);
}

test('many more hanging platforms than places keep no other source waiting, neither its polls nor its history', async () => {
  await rig.apply(
    ...WELL.map((number) => thingsboard(`well-${number}`, well.url, { options: { devices: [`pump-${number}`] } })),
    ...HANGING.map((name) => thingsboard(name, hanging.url, { project: name })),
  );
  for (const name of HANGING) await rig.covered(name, Date.now() - 60_000);

  await hanging.simulator().faults({ kind: 'hang', match: 'values/timeseries' });
  // At one time, which two places for polls and one for history alone do not allow.
  await eventually('every source hangs', async () => {
    const { length } = await unanswered();
    return length >= HANGING.length || new Waiting(length);
  });
  const between = {
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() - 60_000).toISOString(),
  };
  const backfill = (name: string): Promise<string> =>
    rig.bridge.succeed(
      'backfill',
      'start',
      name,
      '--from',
      between.from,
      '--to',
      between.to,
      '--what',
      'all',
      '--detach',
    );
  for (const name of HANGING.slice(0, 3)) await backfill(name);
  await eventually('their histories hang, too', async () => (await unanswered()).length >= HANGING.length + 3);
  await backfill('well-1');
  const before = await polls();
  await eventually('healthy sources are polled, and their backfill is done', async () => {
    const now = await polls();
    const { rows } = await rig.client.query<{ state: string }>(
      `select backfill.state from backfill join source on source.id = source_id where name = 'well-1'`,
    );
    const done = rows[0]?.state === 'done' && now.every((count, index) => count >= (before[index] ?? 0) + 10);
    return done || new Waiting({ before, now, rows });
  });
});

test('the hanging ones are tried again, and go on when their platform answers', async () => {
  await hanging.simulator().faultsOff();
  hanging.proxy.reset();
  const untilMs = Date.now();
  // The longer they hung, the longer is the wait until they are tried again.
  for (const name of HANGING) await rig.covered(name, untilMs, 500_000);
  for (const number of WELL) {
    await rig.covered(`well-${number}`, untilMs);
    const { startMs } = await rig.source(`well-${number}`);
    const devices = spec.devices.slice(number - 1, number);
    expect(await differences(rig.client, spec, { fromMs: startMs, toMs: untilMs, devices })).toEqual(NONE);
  }
});

test('a process whose polls hang without a place ends as an operator asks', async () => {
  await hanging.simulator().faults({ kind: 'hang', match: 'values/timeseries' });
  await eventually('sources hang', async () => (await unanswered()).length > 4);
  expect((await rig.daemon.stop(60_000)).code).toBe(0);
});
