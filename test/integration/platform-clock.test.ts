import { afterEach, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, NONE, device, differences, livingPlant, thingsboard } from './plant-simulator.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';

// A platform whose clock is off. Its points come into being by its own clock. It is told of, and polled on.

const databases = useDatabases();
const OFF_MS = 30_000;
let rig: Rig | undefined;
let simulator: RunningSimulator | undefined;

afterEach(async () => {
  await rig?.close();
  await simulator?.stop();
});

interface Shown {
  readonly list: string;
  readonly show: string;
  readonly doctor: string;
}

async function shown({ bridge }: Rig): Promise<Shown> {
  return {
    list: await bridge.succeed('source', 'list'),
    show: await bridge.succeed('source', 'show', 'hall-1'),
    doctor: (await bridge.answer('doctor')).stdout,
  };
}

it.each([
  ['behind', -OFF_MS, 'only looks back for late data'],
  ['ahead of', OFF_MS, 'none is lost'],
])(
  'a platform whose clock is %s ours is told, polled on without a loss, and told no more when it is set right',
  async (side, advanceMs, effect) => {
    const plant = livingPlant([device(1)], 0.01);
    simulator = await startSimulator({ name: 'thingsboard', accounts: [ACCOUNT], truth: plant });
    rig = await startRig(databases);
    const { client, bridge } = rig;
    const told = async (): Promise<number | null> =>
      (await client.query<{ ahead: number | null }>('select clock_ahead_us::float8 / 1000 as ahead from source'))
        .rows[0]?.ahead ?? null;

    const schedule = { every: '1s', start: '1m', settle: '1s', overlap: '2m' };
    await rig.apply(thingsboard('hall-1', simulator.url, { schedule }));
    await rig.covered('hall-1', Date.now());
    expect(await told()).toBeNull();

    await simulator.clock({ advanceMs });
    await eventually('the clock is told', async () => (await told()) !== null);
    expect(Math.abs(((await told()) ?? 0) - advanceMs)).toBeLessThan(2_500);
    const whileOff = await shown(rig);
    for (const text of Object.values(whileOff)) expect(text).toContain(`the platform's clock is`);
    expect(whileOff.show).toContain(`${side} ours`);
    expect(whileOff.show).toContain(effect);
    for (const text of [whileOff.show, whileOff.doctor]) expect(text).toContain('by NTP');
    expect(JSON.parse(await bridge.succeed('source', 'list', '--json'))).toMatchObject([
      { platformClockAheadSeconds: expect.any(Number) as number, failures: 0 },
    ]);
    expect(
      rig
        .complaints('default/hall-1')
        .concat(rig.complaints('hall-1'))
        .map(({ msg }) => msg),
    ).toEqual([expect.stringContaining(side) as string]);
    await rig.covered('hall-1', Date.now());

    await simulator.clock({ run: true });
    const rightMs = Date.now();
    await eventually('the clock is told no more', async () => (await told()) === null);
    for (const text of Object.values(await shown(rig))) expect(text).not.toContain(`the platform's clock`);
    await rig.covered('hall-1', rightMs);
    const fromMs = (await rig.source('hall-1')).startMs;
    await eventually('all readings are the truth', async () => {
      const found = await differences(client, plant, { fromMs, toMs: rightMs });
      return JSON.stringify(found) === JSON.stringify(NONE);
    });
  },
);
