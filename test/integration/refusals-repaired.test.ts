import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type pg from 'pg';
import { parseInstant } from '../../src/core/instant.ts';
import { judgeValue } from '../../src/core/reading.ts';
import { truth } from '../../src/simulator/truth.ts';
import type { DeviceSpec, TruthSpec } from '../../src/simulator/truth.ts';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import type { RunningProcess } from '../kit/process.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { HOUR_MS, device, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A platform gives booleans and texts. The operator reads what is refused, mends the mapping, and runs the backfill that the
// bridge proposes. Workers are killed while windows are committed, so many windows are asked more than once.

const endMs = Math.floor(Date.now() / 60_000) * 60_000 - 5 * 60_000;
const plain = (number: number): DeviceSpec => ({
  ...device(number),
  keys: [
    { name: 'flow', kind: 'number', everyMs: 60_000 },
    { name: 'running', kind: 'boolean', everyMs: 30_000 },
    { name: 'state', kind: 'text', everyMs: 90_000 },
  ],
});
const spec: TruthSpec = { seed: 3, firstMs: endMs - 2 * HOUR_MS, endMs, devices: [plain(1), plain(2)] };

const databases = useDatabases();
let bridge: BridgeUnderTest;
let plant: Plant;
let daemon: RunningProcess;
let client: pg.Client;
let close: () => Promise<void>;

const source = (mapping: Record<string, unknown> = {}): Record<string, unknown> =>
  thingsboard('hall', plant.url, {
    schedule: { every: '1s', start: '3h', settle: '1s', maxWindow: '7m', overlap: '5m' },
    pace: { requestsPerSecond: 12, burst: 2, concurrency: 2 },
    mapping,
  });

beforeAll(async () => {
  [bridge, plant] = await Promise.all([
    databases.createMigrated().then((url) => makeBridge({ DATABASE_URL: url })),
    startPlant({ truth: spec }),
  ]);
  ({ client, close } = await bridge.database());
  await bridge.succeed('project', 'create', 'hall');
  daemon = await bridge.up();
});

afterAll(async () => {
  await daemon.stop(60_000);
  await close();
  await bridge.remove();
  await plant.stop();
});

interface Sum {
  readonly reason: string;
  readonly sensor: string;
  readonly variable: string;
  readonly refused: number;
  readonly first: string;
  readonly last: string;
}

/** The refused points of the truth, by the plainest code. */
const trueSums = (booleans: 'refuse' | 'number'): Sum[] =>
  spec.devices.flatMap(({ id, keys }) =>
    keys.flatMap(({ name }) => {
      const refused = truth(spec, id, name, spec.firstMs, endMs).flatMap(({ ts, value }) => {
        const judged = judgeValue(value, { booleans });
        return typeof judged === 'number' ? [] : [{ reason: judged, at: new Date(ts).toISOString() }];
      });
      return [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, points]) => ({
        reason,
        sensor: id,
        variable: name,
        refused: points.length,
        first: points[0]?.at ?? '',
        last: points.at(-1)?.at ?? '',
      }));
    }),
  );

async function listed(...more: string[]): Promise<Sum[]> {
  const found = JSON.parse(await bridge.succeed('source', 'refusals', 'hall', '--json', ...more)) as { series: Sum[] };
  return found.series.map(({ reason, sensor, variable, refused, first, last }) => ({
    reason,
    sensor,
    variable,
    refused,
    first: new Date(first).toISOString(),
    last: new Date(last).toISOString(),
  }));
}

const lineOf = (one: Sum): string => Object.values(one).join(' ');
const lines = (sums: readonly Sum[]): string[] => sums.map(lineOf).toSorted();

const booleansRefused = async (): Promise<number> => {
  const { rows } = await client.query<{ refused: number }>(
    `select coalesce(sum(cardinality(points)), 0)::int as refused from refused_hour where reason = 'boolean'`,
  );
  return rows[0]?.refused ?? 0;
};

/** Kills the process that polls when `check` holds, and starts another one. */
async function killedWhen(awaited: string, check: () => Promise<boolean>): Promise<void> {
  await eventually(awaited, check);
  await daemon.kill9();
  daemon = await bridge.up();
}

/** What `source apply --dry-run` prints of another mapping. */
async function dryRun(mapping: Record<string, unknown>, ...options: string[]): Promise<string> {
  const path = join(bridge.home, 'other.yaml');
  await writeFile(path, JSON.stringify(source(mapping)));
  return (await bridge.answer('source', 'apply', path, '--dry-run', ...options)).stdout;
}

const all = trueSums('refuse');
const booleans = all.filter(({ reason }) => reason === 'boolean').reduce((sum, { refused }) => sum + refused, 0);

test('what is refused is listed by reason and sensor, with its first and last instant, each point once', async () => {
  await bridge.apply(source());
  await killedWhen('some points are refused', async () => (await booleansRefused()) > 0);
  await eventually('all time is covered', async () => {
    const { rows } = await client.query<{ done: boolean; covered: string }>(
      `select stream.covered @> tstzrange(start_at, at_instant($1)) as done, stream.covered::text
       from stream join source on source.id = source_id`,
      [endMs * 1_000],
    );
    return (rows.length > 0 && rows.every(({ done }) => done)) || new Waiting(rows);
  });
  expect(lines(await listed())).toEqual(lines(all));
  expect(all.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['boolean', 'text-number', 'not-a-number']));
  const [one] = spec.devices;
  const part = await listed('--sensor', one?.id ?? '', '--reason', 'boolean', '--limit', '1');
  expect(part.map(({ sensor, reason }) => [sensor, reason])).toEqual([[one?.id, 'boolean']]);
  const text = await bridge.succeed('source', 'refusals', 'hall');
  expect(text).toContain(
    `boolean: ${booleans} points of 2 variables\n  The value is true or false.\n  try: If they are`,
  );
  expect(text).toContain('set mapping.booleans: number');
});

test('a mended mapping proposes the backfill that repairs, and the backfill leaves the truth', async () => {
  const shown = JSON.parse(await dryRun({ booleans: 'number' }, '--json')) as {
    repair: { refused: number; reasons: string[]; from: string; to: string; command: string };
  }[];
  const { from, to, command, ...repair } = shown[0]?.repair ?? expect.fail(JSON.stringify(shown));
  expect(repair).toEqual({ refused: booleans, series: 2, reasons: ['boolean'] });
  const instants = all.filter(({ reason }) => reason === 'boolean').flatMap((sum) => [sum.first, sum.last]);
  for (const instant of instants.map((each) => parseInstant(each) ?? NaN)) {
    expect(instant).toBeGreaterThanOrEqual(parseInstant(from) ?? NaN);
    expect(instant).toBeLessThan(parseInstant(to) ?? NaN);
  }
  const printed = await bridge.apply(source({ booleans: 'number' }));
  expect(printed.replaceAll(/ \\\n\s+/g, ' ')).toContain(`    ${command}\n`);
  expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);

  const backfill = bridge.run(...command.split(' ').slice(1));
  await killedWhen('some points are repaired', async () => (await booleansRefused()) < booleans);
  expect(await backfill).toMatchObject({ code: 0 });
  expect(lines(await listed())).toEqual(lines(trueSums('number')));
  const { rows } = await client.query<{ line: string }>(
    `select concat_ws(' ', sensor_id, value_name, instant_of(at), value) as line from reading join series on series.id = series`,
  );
  const expected = spec.devices.flatMap(({ id, keys }) =>
    keys.flatMap(({ name }) =>
      truth(spec, id, name, spec.firstMs, endMs).flatMap(({ ts, value }) => {
        const judged = judgeValue(value, { booleans: 'number' });
        return typeof judged === 'number' ? [`${id} ${name} ${ts * 1000} ${judged}`] : [];
      }),
    ),
  );
  expect(rows.map(({ line }) => line).toSorted()).toEqual(expected.toSorted());
});

test('a change that mends no refused point proposes nothing', async () => {
  const mapping = { booleans: 'number', bad: 'keep', labels: ['hall-3'] };
  expect(await dryRun(mapping)).not.toContain('backfill');
  const shown = JSON.parse(await dryRun(mapping, '--json')) as { repair: unknown }[];
  expect(shown[0]?.repair).toBeNull();
});
