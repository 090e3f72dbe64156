import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { Waiting, eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Two sources of one plant in one project: the second one stores nothing, and whoever looks at it is told.

const databases = useDatabases();
const devices = [device(1), device(2)] as const;
let rig: Rig;
let plant: Plant;

beforeAll(async () => {
  [rig, plant] = await Promise.all([startRig(databases), startPlant({ truth: livingPlant(devices, 1) })]);
});

afterAll(async () => {
  await rig.close();
  await plant.stop();
});

const sourceOf = (name: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  thingsboard(name, plant.url, { schedule: { every: '1s', start: '1m', settle: '1s', overlap: '0s' }, ...more });

async function fileOf(source: Record<string, unknown>): Promise<string> {
  const path = join(rig.bridge.home, `${String(source['name'])}.json`);
  await writeFile(path, JSON.stringify(source));
  return path;
}

/** What a check or a preview answers as JSON. Lines of a list are told apart by their name alone. */
interface Document extends Record<string, unknown> {
  readonly steps: readonly unknown[];
  readonly sample: readonly { readonly sensorId: string }[];
}

const jsonOf = async (...args: string[]): Promise<Document[]> =>
  JSON.parse((await rig.bridge.answer(...args, '--json')).stdout) as Document[];

/** Everything that a check or preview could claim. */
async function claims(): Promise<unknown[]> {
  const { rows } = await rig.client.query(
    `select sensor_id, value_name, owner, (select count(*) from series_name) as names from series order by 1, 2`,
  );
  return rows as unknown[];
}

const TOLD = '4 of the series belong to source north, so its points for them are refused';
const REMEDY = 'other names, or databridge source take-over south --from north';

/** Holds that a check of `south` fails and tells why, and that a preview refuses every point; `which` is a file or a name. */
async function expectTold(which: string): Promise<void> {
  const before = await claims();
  const [check] = await jsonOf('source', 'check', which);
  expect(check).toMatchObject({ source: 'south', ok: false });
  expect(check?.steps.at(-1)).toMatchObject({
    step: 'window',
    ok: false,
    detail: expect.stringMatching(/^0 readings of 0 series .*; \d+ refused \(series-of-another \d+\); /) as string,
    fault: { code: 'config-invalid', message: TOLD, remedy: REMEDY },
  });
  const checked = await rig.bridge.answer('source', 'check', which);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(/^✗ window .*$/m);
  expect(checked.stdout).toContain(TOLD);
  expect(checked.stdout).toContain(`try: ${REMEDY}`);

  const [preview] = await jsonOf('source', 'preview', which, '--from', '30s');
  expect(preview).toMatchObject({
    readings: 0,
    sample: [],
    refused: { 'series-of-another': expect.any(Number) as number },
    seriesOfOthers: [{ owner: 'north', series: 4 }],
  });
  expect(Object.keys(preview?.['refused'] as object)).toEqual(['series-of-another']);
  const shown = await rig.bridge.answer('source', 'preview', which, '--from', '30s');
  expect(shown.stdout).toMatch(/^series-of-another, \d+ times: The series belongs to another source/m);
  expect(shown.stdout).toContain(`${TOLD}\n  try: ${REMEDY}`);
  expect(await claims()).toEqual(before);
}

test('the second source is refused by check and preview, before and after it is registered, and is not well until it has the series', async () => {
  const path = await fileOf(sourceOf('south'));
  const first = await jsonOf('source', 'check', path);
  expect(first).toMatchObject([{ ok: true }]);
  expect(await claims()).toEqual([]);
  await rig.apply(sourceOf('north'));
  await rig.covered('north', Date.now());
  // No new series comes any more.
  expect(await claims()).toHaveLength(4);
  await expectTold(path);
  // The owner of the series is not refused itself.
  expect(await jsonOf('source', 'check', 'north')).toMatchObject([{ ok: true }]);

  await rig.apply(sourceOf('south'));
  await rig.covered('south', Date.now());
  await expectTold('south');
  const lines = await jsonOf('source', 'list');
  expect(lines).toMatchObject([
    { name: 'north', condition: 'well', allRefused: null },
    {
      name: 'south',
      condition: 'failing',
      readings24h: 0,
      fault: null,
      allRefused: { reason: 'series-of-another', remedy: expect.stringContaining('take-over') as string },
    },
  ]);
  expect((await rig.bridge.answer('doctor')).stdout).toContain('1 active source not well: south (failing)');

  await rig.bridge.succeed('source', 'take-over', 'south', '--from', 'north');
  expect(await jsonOf('source', 'check', 'south')).toMatchObject([{ ok: true }]);
  await eventually('south is well', async () => {
    const [, south] = await jsonOf('source', 'list');
    return (south?.['condition'] === 'well' && south['allRefused'] === null) || new Waiting(south);
  });
});

test('a source with some names of its own gets readings for those, and its check fails for the others', async () => {
  const [own, foreign] = devices.map(({ id }) => id);
  const path = await fileOf(sourceOf('west', { sensors: [{ id: own, as: 'own' }, { id: foreign }] }));
  const [check] = await jsonOf('source', 'check', path);
  expect(check).toMatchObject({ ok: false });
  expect(check?.steps.at(-1)).toMatchObject({
    detail: expect.stringMatching(/^[1-9]\d* readings of 2 series .*2 of the series belong to source/) as string,
  });
  const [preview] = await jsonOf('source', 'preview', path, '--from', '30s');
  expect(preview).toMatchObject({ series: 2, seriesOfOthers: [{ series: 2 }] });
  expect(new Set(preview?.sample.map(({ sensorId }) => sensorId))).toEqual(new Set(['own']));
  // A recording has the names of the platform, which nobody owns.
  const recorded = await rig.bridge.succeed(
    'source',
    'record',
    path,
    '--into',
    join(rig.bridge.home, 'recorded'),
    '--json',
  );
  expect((JSON.parse(recorded) as { cases: unknown }).cases).toEqual([
    expect.objectContaining({ result: expect.stringMatching(/^[1-9]\d* readings?$/) as string }),
  ]);
  // In another project the same names are nobody's.
  await rig.bridge.succeed('project', 'create', 'yard');
  const elsewhere = await fileOf(sourceOf('west', { project: 'yard' }));
  expect(await jsonOf('source', 'check', elsewhere)).toMatchObject([{ ok: true }]);
});
