import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeValue } from '../../src/core/reading.ts';
import { useDatabases } from '../kit/databases.ts';
import type { Point } from '../kit/point.ts';
import { isDistorted } from '../../src/simulator/distort.ts';
import { truth, visibleFromMs } from '../../src/simulator/truth.ts';
import type { DeviceSpec, KeySpec } from '../../src/simulator/truth.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Points that are no numbers, and late points: a third of the new points shows up five seconds late.

const LATE_MS = 5_000;
const key = (name: string, kind: KeySpec['kind'], everyMs: number): KeySpec => ({ name, kind, everyMs });

const mixed: DeviceSpec = {
  ...device(1),
  keys: [
    key('flow', 'number', 1_000),
    key('running', 'boolean', 5_000),
    key('state', 'text', 5_000),
    key('settings', 'json', 60_000),
  ],
};
const noted = device(2, 5_000, ['flow']);
const nulled = device(3, 5_000, ['flow']);
const spec = livingPlant([mixed, noted, nulled], 1, { late: { share: 0.33, delayMs: LATE_MS } });

const databases = useDatabases();
let rig: Rig;
let plant: Plant;

beforeAll(async () => {
  [rig, plant] = await Promise.all([startRig(databases, ['hall', 'blind']), startPlant({ truth: spec })]);
  await plant
    .simulator()
    .faults(
      { kind: 'bad-value', value: '"NaN"', every: 3, match: `${noted.id}/values/` },
      { kind: 'bad-value', value: 'null', every: 3, match: `${nulled.id}/values/` },
    );
  const schedule = { every: '1s', start: '1h', settle: '1s' };
  await rig.apply(
    thingsboard('hall', plant.url, { schedule: { ...schedule, overlap: '16s' } }),
    thingsboard('blind', plant.url, { project: 'blind', schedule: { ...schedule, overlap: '0s' } }),
  );
  await rig.covered('hall', Date.now() + 20_000);
  await rig.covered('blind', Date.now());
  for (const name of ['hall', 'blind']) await rig.bridge.succeed('source', 'pause', name);
  await eventually('nothing runs any more', async () => {
    const { rows } = await rig.client.query('select * from work where claimed_by is not null');
    return rows.length === 0 || new Waiting(rows);
  });
});

afterAll(async () => {
  await rig.close();
  await plant.stop();
});

const isLate = ({ measurement, field, at }: Point): boolean =>
  visibleFromMs(spec, measurement, field, at / 1000) > at / 1000;

const isBad = ({ measurement, at }: Point): boolean => measurement !== mixed.id && isDistorted(at / 1000, 3);

/** Every late point before this has shown up, and live has looked back since. */
async function foundUntilMs(name: string): Promise<number> {
  const { rows } = await rig.client.query<{ ms: number }>(
    `select min(instant_of(upper(stream.covered)))::float8 / 1000 as ms from stream join source on source.id = source_id where name = $1`,
    [name],
  );
  return (rows[0]?.ms ?? 0) - LATE_MS - 5_000;
}

const lateOf = async (name: string): Promise<number> => {
  const { rows } = await rig.client.query<{ late: number }>(
    'select coalesce(sum(late), 0)::int as late from window_log join source on source.id = source_id where name = $1',
    [name],
  );
  return rows[0]?.late ?? 0;
};

test('a late point is found by the overlap, stored once and counted', async () => {
  const { startMs } = await rig.source('hall');
  const toMs = await foundUntilMs('hall');
  const expected = (point: Point): Point | undefined => (isBad(point) ? undefined : point);
  expect(await differences(rig.client, spec, { fromMs: startMs, toMs, expected })).toEqual(NONE);
  expect(await lateOf('hall')).toBeGreaterThan(0);
});

test('without an overlap late points are missed, and no others', async () => {
  const { startMs } = await rig.source('blind');
  const given = { fromMs: startMs, toMs: await foundUntilMs('blind'), project: 'blind' };
  const valid = (point: Point): Point | undefined => (isBad(point) ? undefined : point);
  const all = await differences(rig.client, spec, { ...given, expected: valid });
  expect(all).toMatchObject({ unexpected: 0, changed: 0, repeated: 0 });
  expect(all.missing).toBeGreaterThan(0);
  const expected = (point: Point): Point | undefined => (isLate(point) ? undefined : valid(point));
  expect((await differences(rig.client, spec, { ...given, expected })).missing).toBe(0);
  expect(await lateOf('blind')).toBe(0);
});

test('a value that is no number is refused, counted once by its reason however often it is read, and kept', async () => {
  const { startMs } = await rig.source('hall');
  // Each stream is covered up to its own end.
  const { rows } = await rig.client.query<{ key: string; toMs: number }>(
    `select key, instant_of(upper(stream.covered))::float8 / 1000 as "toMs" from stream join source on source.id = source_id where name = 'hall'`,
  );
  const least = new Map<string, number>();
  const most = new Map<string, number>();
  const add = (counts: Map<string, number>, reason: string): void =>
    void counts.set(reason, (counts.get(reason) ?? 0) + 1);
  for (const one of spec.devices) {
    const toMs = rows.find((row) => row.key === one.id)?.toMs ?? 0;
    for (const { name, kind } of one.keys) {
      for (const { ts, value } of truth(spec, one.id, name, startMs, toMs)) {
        const bad = one.id !== mixed.id && isDistorted(ts, 3);
        const judged = judgeValue(bad ? (one === noted ? 'NaN' : null) : value, { booleans: 'refuse' });
        if (typeof judged === 'number' || kind === 'json') continue;
        add(most, judged);
        // A late refusal near the end may not have been found yet.
        if (!isLate({ measurement: one.id, tags: {}, field: name, at: ts * 1000, value: 0 })) add(least, judged);
      }
    }
  }
  const shown = JSON.parse(await rig.bridge.succeed('source', 'refusals', 'hall', '--json', '--limit', '5000')) as {
    reasons: { reason: string; refused: number }[];
    series: { reason: string; sensor: string; variable: string }[];
  };
  const refused = new Map<string, number>();
  for (const { reason, refused: count } of shown.reasons) refused.set(reason, (refused.get(reason) ?? 0) + count);
  expect([...refused.keys()].toSorted()).toEqual([...most.keys(), 'not-a-scalar'].toSorted());
  for (const [reason, count] of least) {
    expect(refused.get(reason), reason).toBeGreaterThanOrEqual(count);
    expect(refused.get(reason), reason).toBeLessThanOrEqual(most.get(reason) ?? 0);
  }
  const { rows: kept } = await rig.client.query<{ sensor: string; variable: string; ms: number; raw: string }>(
    `select sensor, variable, (instant_of(hour) + 1800000000 + (example ->> 0)::int)::float8 / 1000 as ms, example ->> 1 as raw
     from refused_hour cross join jsonb_array_elements(examples) as example`,
  );
  const written = ({ sensor, variable, ms }: (typeof kept)[number]): unknown => {
    if (sensor === noted.id) return 'NaN';
    return sensor === nulled.id ? null : truth(spec, sensor, variable, ms, ms + 1)[0]?.value;
  };
  for (const example of kept) expect(JSON.parse(example.raw), JSON.stringify(example)).toEqual(written(example));
  const shownOf = new Set(kept.map(({ sensor, variable }) => `${sensor} ${variable}`));
  const mixedOf = ['running', 'state', 'settings'].map((variable) => `${mixed.id} ${variable}`);
  expect([...shownOf].toSorted()).toEqual([...mixedOf, `${noted.id} flow`, `${nulled.id} flow`].toSorted());
  expect(shown.series).toContainEqual(
    expect.objectContaining({ reason: 'not-a-scalar', sensor: mixed.id, variable: 'settings' }),
  );
});
