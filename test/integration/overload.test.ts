import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A source whose live polls need twelve times the requests of its pace: an operator is told wherever they look.

const STREAMS = 12;
const spec = livingPlant(
  Array.from({ length: STREAMS }, (_, index) => device(index + 1, 1_000, ['flow'])),
  1,
);
const TOLD = /need 12 times the requests that the pace allows: 12 streams × 1 request every 1s are 12 a second/;

const databases = useDatabases();
let rig: Rig;
let plant: Plant;

beforeAll(async () => {
  [rig, plant] = await Promise.all([startRig(databases), startPlant({ truth: spec })]);
});

afterAll(async () => {
  await rig.close();
  await plant.stop();
});

const source = (requestsPerSecond: number, concurrency = 2): Record<string, unknown> =>
  thingsboard('hall-3', plant.url, {
    schedule: { every: '1s', start: '10s', settle: '1s', overlap: '0s' },
    pace: { requestsPerSecond, burst: 30, concurrency },
  });

test('a source that needs more requests than its pace allows is told so by check, preview, list, show and backfill show', async () => {
  const file = join(rig.bridge.home, 'hall-3.yaml');
  await writeFile(file, JSON.stringify(source(1)));
  const check = await rig.bridge.succeed('source', 'check', file);
  expect(check).toMatch(TOLD);
  expect(check).toMatch(/raise pace.requestsPerSecond to 15/);
  expect(await rig.bridge.succeed('source', 'preview', file, '--from', '1m')).toMatch(TOLD);
  await rig.bridge.succeed('source', 'apply', file);
  await eventually('the overload', async () => {
    const [line] = JSON.parse(await rig.bridge.succeed('source', 'list', '--json')) as {
      overload: { times: number } | null;
    }[];
    return line?.overload?.times === 12 || new Waiting(line);
  });
  const shown = await rig.bridge.succeed('source', 'show', 'hall-3');
  expect(shown).toMatch(TOLD);
  expect(shown).toMatch(/try: .* or raise pace.requestsPerSecond to 15/);
  expect(await rig.bridge.succeed('source', 'list')).toMatch(/live polls need 12 times/);
  await rig.bridge.succeed('backfill', 'start', 'hall-3', '--from', '30m', '--detach');
  const [{ id }] = JSON.parse(await rig.bridge.succeed('backfill', 'list', '--json')) as [{ id: number }];
  const { stdout } = await rig.bridge.answer('backfill', 'show', String(id));
  expect(stdout).toMatch(TOLD);
  expect(stdout).toMatch(/history and backfills get nothing/);
  // With the pace that the remedy names, history gets its share.
  await rig.apply(source(15));
  await eventually('the backfill', async () => {
    const { rows } = await rig.client.query<{ state: string }>('select state from backfill');
    return rows.every(({ state }) => state === 'done') || new Waiting(rows);
  });
  expect(await rig.bridge.succeed('source', 'list')).not.toMatch(/live polls need/);
});

test('a source whose platform takes longer than its places allow is told so', async () => {
  await plant.simulator().faults({ kind: 'slow', delayMs: 400, match: '/values/' });
  await rig.apply(source(100, 1));
  await eventually('the overload', async () => {
    const list = await rig.bridge.succeed('source', 'show', 'hall-3');
    const told =
      /live polls need [\d.]+ requests at a time: the platform takes \S+ for each window of 12 streams every 1s/;
    return (told.test(list) && /try: .* or raise pace.concurrency to \d+/.test(list)) || new Waiting(list);
  });
});
