import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { Waiting, eventually, startRig } from './daemon-rig.ts';
import { NONE, device, differences, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';

const databases = useDatabases();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

/** Waits until each of the streams is covered up to now. */
async function covered(bridge: BridgeUnderTest, streams: number): Promise<void> {
  const untilMs = Date.now();
  const { client, close } = await bridge.database();
  await eventually('everything is covered', async () => {
    const { rows } = await client.query<{ done: boolean }>(
      `select stream.covered @> tstzrange(start_at, at_instant($1)) as done from stream join source on source.id = source_id`,
      [untilMs * 1000],
    );
    return (rows.length === streams && rows.every(({ done }) => done)) || new Waiting(rows);
  });
  await close();
}

it('a bridge that was backed up under load goes on in another place, and has every reading of the plant', async () => {
  const truth = livingPlant(
    [1, 2, 3, 4].map((number) => device(number)),
    2,
  );
  const plant = await startPlant({ truth });
  cleanups.push(() => plant.stop());
  const rig = await startRig(databases);
  const old = rig.bridge;
  const schedule = { every: '500ms', start: '30m', settle: '1s', overlap: '0s' };
  await rig.apply(thingsboard('hall-3', plant.url, { schedule }));
  const directory = await makeTempDirectory('backup');
  cleanups.push(() => directory.remove());
  const place = directory.path;
  const file = join(place, 'x.backup');
  await eventually('the first readings are there', async () => {
    const { rows } = await rig.client.query('select from reading limit 1');
    return rows.length > 0;
  });
  const said = await old.run('backup', file);
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toContain(join(old.home, 'sealing.key'));
  const key = await readFile(join(old.home, 'sealing.key'), 'utf8');
  expect((await readFile(file)).includes(key)).toBe(false);
  const keyed = join(place, 'keyed.backup');
  await old.succeed('backup', keyed, '--with-key');
  await rig.close();

  // An embedded server of its own.
  const next = await makeBridge({ DATABASE_URL: undefined });
  cleanups.push(() => next.remove());
  const refused = await next.run('restore', file);
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/sealing key[^]*try: set DATABRIDGE_KEY/),
  });
  expect(existsSync(join(next.home, 'postgres'))).toBe(false);
  await writeFile(join(next.home, 'sealing.key'), 'A'.repeat(43), { mode: 0o600 });
  expect(await next.run('restore', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not the one'),
  });
  await rm(join(next.home, 'sealing.key'));
  expect(JSON.parse(await next.succeed('restore', keyed, '--json'))).toMatchObject({
    place: next.home,
    migrations: [],
  });
  expect(await next.run('restore', file)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not empty') });

  expect(await readFile(join(next.home, 'sealing.key'), 'utf8')).toBe(key);

  const daemon = await next.up();
  await covered(next, 4);
  const { client, close } = await next.database();
  const { rows } = await client.query<{ start: string }>('select instant_of(start_at) as start from source');
  const toMs = Date.now() - 3_000;
  await covered(next, 4);
  expect(await differences(client, truth, { fromMs: Number(rows[0]?.start) / 1000, toMs })).toEqual(NONE);
  await close();
  // It stops the embedded server, too, which writes all to the disk before.
  expect((await daemon.stop()).code).toBe(0);
});
