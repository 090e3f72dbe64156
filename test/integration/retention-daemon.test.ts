import { afterEach, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

const databases = useDatabases();
let rig: Rig | undefined;
let plant: Plant | undefined;

afterEach(async () => {
  await Promise.all([rig?.close(), plant?.stop()]);
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

it('removes what is too old beside polls, which never ask for that time again', async () => {
  // A point an hour, and each second at the end.
  plant = await startPlant({ truth: livingPlant([device(1, HOUR_MS)], 45 * 24) });
  rig = await startRig(databases);
  const { bridge, client } = rig;
  const schedule = { every: '500ms', start: '45d', settle: '1s', overlap: '1h', maxWindow: '7d' };
  await rig.apply(thingsboard('hall-3', plant.url, { schedule }));
  await rig.covered('hall-3', Date.now() - 2_000);
  const readings = async (...more: readonly string[]): Promise<string[]> =>
    (await bridge.succeed('readings', 'hall', '--from', '60d', '--format', 'ndjson', ...more))
      .split('\n')
      .filter(Boolean);
  const dateOf = (line: string): number => Date.parse((JSON.parse(line) as { date: string }).date);
  const before = await readings();

  expect(await bridge.succeed('project', 'keep', 'hall', '35d', '--dry-run')).toMatch(
    /\d+ days from before .* would go/,
  );
  expect(await bridge.succeed('project', 'keep', 'hall', '35d')).toMatch(
    /readings from before 20\d\d-\d\d-\d\d out of sight within ten minutes.*\nthey do not come back then/,
  );
  const asked = (await plant.log()).length;
  expect(await bridge.succeed('project', 'trim', 'hall')).toMatch(
    /hall keeps readings from .* on\n(?:hall .*: \d+ rows? removed\n)+/,
  );

  const { keptFrom } = JSON.parse(await bridge.succeed('project', 'show', 'hall', '--json')) as { keptFrom: string };
  const bound = Date.parse(keptFrom);
  expect(Math.abs(Date.now() - bound - 35.5 * DAY_MS)).toBeLessThan(DAY_MS);
  const kept = before.filter((line) => dateOf(line) >= bound);
  expect(kept.length).toBeLessThan(before.length);
  const after = await readings();
  expect(after).toEqual(expect.arrayContaining(kept));
  expect(after.filter((line) => dateOf(line) < bound)).toEqual([]);
  const shown = await bridge.run('readings', 'hall', '--from', '60d', '--format', 'csv');
  expect(shown.stderr).toMatch(/^readings from before .* are not kept\n$/);
  // A poll that is asked for, a look, and the polls of some seconds.
  await bridge.succeed('source', 'poll', 'hall-3');
  await rig.covered('hall-3', Date.now());
  const traced = await bridge.run('source', 'trace', 'hall-3', '--sensor', device(1).id, '--at', '40d');
  expect(traced).toMatchObject({ code: 1, stdout: expect.stringContaining('are not kept') as unknown });
  const backfill = await bridge.run('backfill', 'start', 'hall-3', '--from', '40d');
  expect(backfill).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('keeps no readings from before') as unknown,
  });
  expect(await bridge.succeed('source', 'coverage', 'hall-3', '--from', '45d')).toContain('before its start');
  await eventually('some polls', async () => ((await plant?.log())?.length ?? 0) > asked + 5);
  const windows = await client.query<{ from: number }>(
    `select min(instant_of(from_at))::float8 / 1000 as from from window_log where asked_at > (select max(at) from audit where action = 'project.keep')`,
  );
  expect(windows.rows[0]?.from).toBeGreaterThanOrEqual(bound);
  const gone = await client.query(`select from reading where at < to_timestamp($1::float8 / 1000)`, [bound]);
  expect(gone.rowCount).toBe(0);
  expect((await rig.source('hall-3')).startMs).toBe(bound);
  expect(rig.complaints('hall-3')).toEqual([]);
});
