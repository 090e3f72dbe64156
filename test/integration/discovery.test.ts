import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBridge } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import type { SimulatedFault } from '../../src/simulator/faults.ts';
import type { RecordedRequest } from '../../src/simulator/recorder.ts';
import type { DeviceSpec } from '../../src/simulator/truth.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { dataRequests, device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Looks for sensors beside polls, on simulated ThingsBoards: a look asks for the list of devices and then for the keys of each.

const databases = useDatabases();
let rig: Rig;

beforeAll(async () => {
  rig = await startRig(databases, ['hall', 'wide', 'names']);
});

afterAll(() => rig.close());

const isOfLook = ({ path }: RecordedRequest): boolean => /devices|keys\/timeseries/.test(path);

const LOOK = 'devices|keys/timeseries';

/** A source as `source list --json` shows it. */
async function listed(name: string): Promise<Record<string, unknown> | undefined> {
  const lines = JSON.parse(await rig.bridge.succeed('source', 'list', '--json')) as Record<string, unknown>[];
  return lines.find((line) => line['name'] === name);
}

const lookFault = (name: string): Promise<unknown> => listed(name).then((line) => line?.['lookFault']);

describe('a look that finds no end', () => {
  const spec = livingPlant([device(1), device(2)]);
  let plant: Plant;

  beforeAll(async () => {
    plant = await startPlant({ truth: spec });
    await rig.apply(thingsboard('plant', plant.url));
    await rig.covered('plant', Date.now());
  });

  afterAll(() => plant.stop());

  test.each<[string, SimulatedFault, RegExp]>([
    ['fails', { kind: 'status', status: 500, match: LOOK }, /500/],
    ['may not see the devices', { kind: 'status', status: 403, match: LOOK }, /403/],
    ['gets nonsense', { kind: 'wrong-shape', shape: 'object', match: LOOK }, /expected/],
  ])('because it %s leaves the known devices alone, and is told', async (_, fault, said) => {
    await plant.simulator().faults(fault);
    await rig.bridge.succeed('source', 'poll', 'plant');
    const told = await eventually('the fault of the look', async () => (await lookFault('plant')) ?? false);
    expect(told).toMatchObject({ message: expect.stringMatching(said) as string });
    const fromMs = Date.now();
    const untilMs = fromMs + 5_000;
    await rig.covered('plant', untilMs);
    expect(await differences(rig.client, spec, { fromMs, toMs: untilMs })).toEqual(NONE);
    expect(await rig.source('plant')).toMatchObject({ state: 'active', failures: 0, fault: null });
    expect(await rig.bridge.succeed('source', 'list')).toContain('looking for sensors: ');
    expect(await rig.bridge.succeed('source', 'show', 'plant')).toMatch(/looks? in a row with a fault/);
    const doctor = await rig.bridge.answer('doctor');
    expect(doctor.stdout).toContain('sensors of plant');

    await plant.simulator().faultsOff();
    await rig.bridge.succeed('source', 'poll', 'plant');
    await eventually('the fault is over', async () => (await lookFault('plant')) === null);
  });

  test('because no answer comes leaves the known devices alone', async () => {
    await plant.simulator().faults({ kind: 'hang', match: LOOK });
    await rig.bridge.succeed('source', 'poll', 'plant');
    await eventually('the look hangs', async () => ((await plant.simulator().listFaults())[0]?.hits ?? 0) > 0);
    const untilMs = Date.now() + 5_000;
    await rig.covered('plant', untilMs);
    const hanging = (await plant.log()).filter((request) => isOfLook(request) && request.finishedMs === null);
    expect(hanging).toHaveLength(1);
    await plant.simulator().faultsOff();
  });
});

test('50 devices are read while their sensors are looked up again, and a new one is found', async () => {
  const spec = livingPlant(
    Array.from({ length: 50 }, (_, index) => device(1000 + index, 60_000, ['flow'])),
    0.05,
  );
  const plant = await startPlant({ truth: spec });
  try {
    const pace = { requestsPerSecond: 40, burst: 4, concurrency: 2 };
    await rig.apply(thingsboard('wide', plant.url, { project: 'wide', pace, schedule: { every: '1s', start: '1m' } }));
    await eventually('every device is read', async () => {
      const read = new Set(dataRequests(await plant.log()).map((request) => request.device));
      return read.size === 50 || new Waiting(read.size);
    });
    await eventually('the first look is over', async () => {
      const { rowCount } = await rig.client.query(
        `select from work join source on source.id = work.id where name = 'wide' and work.kind = 'look' and claimed_by is null and due_at > now()`,
      );
      return rowCount === 1;
    });
    const late = device(2000, 60_000, ['flow']);
    await plant.replace({ truth: { ...spec, devices: [...spec.devices, late] } });
    // An hour later.
    await rig.client.query(
      `update work set due_at = now() from source where source.id = work.id and name = 'wide' and work.kind = 'look'`,
    );
    await eventually('the new device is read', async () =>
      dataRequests(await plant.simulator().log()).some((request) => request.device === late.id),
    );
    const log = await plant.simulator().log();
    const first = log.findIndex(isOfLook);
    const during = log.slice(first, log.findLastIndex(isOfLook) + 1);
    const ofLook = during.filter(isOfLook);
    expect(ofLook.length).toBeGreaterThan(50);
    // A look asks one request after the other and polls two at a time; between two polls the look is alone.
    expect(dataRequests(during).length).toBeGreaterThanOrEqual(ofLook.length / 4);
    await rig.bridge.succeed('source', 'pause', 'wide');
  } finally {
    await plant.stop();
  }
});

test('a new field whose name collides is refused alone, with the remedy; the other goes on', async () => {
  const before: DeviceSpec = device(3, 1_000, ['va_lue', 'flow']);
  const spec = livingPlant([before], 0.1);
  const plant = await startPlant({ truth: spec });
  try {
    await rig.apply(
      thingsboard('names', plant.url, { project: 'names', schedule: { every: '1s', start: '1m', settle: '1s' } }),
    );
    await rig.covered('names', Date.now());
    const after = device(3, 1_000, ['va_lue', 'flow', 'va-lue']);
    await plant.replace({ truth: { ...spec, devices: [after] } });
    await rig.bridge.succeed('source', 'poll', 'names');
    await eventually('the collision is told', async () => (await lookFault('names')) ?? false);
    await eventually('the new field is refused', async () =>
      (await rig.bridge.succeed('source', 'refusals', 'names')).includes('name-collision'),
    );
    expect(await lookFault('names')).toMatchObject({
      message: expect.stringContaining('"va_lue" and "va-lue" would all become "va_lue"') as string,
      remedy: expect.stringContaining('as: va_lue_2') as string,
    });
    const fromMs = (await rig.source('names')).startMs;
    const untilMs = Date.now() + 3_000;
    await rig.covered('names', untilMs);
    const options = { fromMs, toMs: untilMs, project: 'names', devices: [before] };
    expect(await differences(rig.client, spec, options)).toEqual(NONE);
    expect(await rig.source('names')).toMatchObject({ state: 'active', failures: 0 });
  } finally {
    await plant.stop();
  }
});

test('the first devices are read while the look goes on, and a worker that is killed in mid-look leaves nothing twice or out', async () => {
  const spec = livingPlant(
    Array.from({ length: 40 }, (_, index) => device(3000 + index, 5_000, ['flow'])),
    0.1,
  );
  const plant = await startPlant({ truth: spec });
  const bridge = await makeBridge({ DATABASE_URL: await databases.createMigrated() });
  const { client, close } = await bridge.database();
  try {
    // The look gets no answer at the thirtieth of the forty devices, so it is under way however late the first read comes.
    await plant
      .simulator()
      .faults(
        { kind: 'hang', match: `${device(3029).id}/keys/timeseries` },
        { kind: 'slow', delayMs: 200, match: 'keys/timeseries' },
      );
    await bridge.succeed('project', 'create', 'hall');
    const killed = await bridge.up();
    await bridge.apply(thingsboard('killed', plant.url, { schedule: { every: '1s', start: '1m', settle: '1s' } }));
    await eventually('a read before the end of the look', async () => dataRequests(await plant.log()).length > 0);
    await killed.kill9();
    const askedLast = (await plant.log()).filter(({ path }) => path.includes(`${device(3039).id}/keys/timeseries`));
    expect(askedLast).toEqual([]);
    await plant.simulator().faultsOff();
    const daemon = await bridge.up();
    const streams = async (): Promise<string[]> =>
      (await client.query<{ key: string }>('select key from stream where retired_at is null order by key')).rows.map(
        ({ key }) => key,
      );
    const ids = spec.devices.map(({ id }) => id).toSorted();
    await eventually('all devices have a stream', async () => (await streams()).length >= ids.length);
    const untilMs = Date.now();
    await eventually('all of them are covered', async () => {
      const { rows } = await client.query<{ done: boolean }>(
        `select stream.covered @> tstzrange(source.start_at, at_instant($1)) as done from stream join source on source.id = source_id`,
        [untilMs * 1000],
      );
      return rows.every(({ done }) => done);
    });
    expect(await streams()).toEqual(ids);
    const { rows } = await client.query<{ from: number }>(
      `select instant_of(start_at)::float8 / 1000 as from from source`,
    );
    expect(await differences(client, spec, { fromMs: rows[0]?.from ?? 0, toMs: untilMs })).toEqual(NONE);
    expect((await daemon.stop(60_000)).code).toBe(0);
  } finally {
    await close();
    await bridge.remove();
    await plant.stop();
  }
});
