import { afterEach, describe, expect, test } from 'vitest';
import { httpJson } from '../../adapters/platforms/http-json/index.ts';
import { SOURCE_OPTIONS, simulatedHttpJson } from '../../adapters/platforms/http-json/simulator.ts';
import { kinds } from '../../adapters/kinds.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { parseSource } from '../../src/core/source/source.ts';
import type { Window } from '../../src/core/window.ts';
import { SimulatedClock } from '../../src/simulator/clock.ts';
import { serve } from '../../src/simulator/serve.ts';
import { truth } from '../../src/simulator/truth.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { openTrial } from '../../src/source/trial.ts';
import type { Trial } from '../../src/source/trial.ts';
import { testDeclaration } from '../../src/source/declaration.ts';

const NOW_MS = Date.now();
const FIRST_MS = NOW_MS - (NOW_MS % 60_000) - 3_600_000;
const SPEC: TruthSpec = {
  seed: 7,
  firstMs: FIRST_MS,
  liveFromMs: FIRST_MS,
  devices: [
    { id: 'd 1', name: 'pump', keys: [{ name: 't', kind: 'number', everyMs: 1000 }] },
    { id: 'd,2', name: 'fan', keys: [{ name: 't', kind: 'number', everyMs: 3000 }] },
  ],
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A source of the simulated server, with changes to both. */
async function trialOf(simulator: object, change: object = {}, connection: object = { key: 'pw' }): Promise<Trial> {
  const clock = new SimulatedClock();
  const accounts = [{ username: 'u', password: 'pw' }];
  const served = await serve(simulatedHttpJson.open({ accounts, truth: SPEC, ...simulator }, clock), clock);
  open.push(served);
  const parsed = parseSource(
    {
      name: 'plant-api',
      project: 'plant',
      kind: 'custom',
      platform: 'http-json',
      connection: { url: served.url, ...connection },
      schedule: { every: '1m', start: '1h', settle: '2s', overlap: '0s' },
      pace: { requestsPerSecond: 100, burst: 100, concurrency: 2 },
      options: { ...SOURCE_OPTIONS, ...change },
    },
    [httpJson],
    { kinds },
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const given = { now: () => Date.now() * 1000, signal: new AbortController().signal, allowHosts: undefined };
  const trial = await openTrial(parsed.source, httpJson, given);
  open.unshift(trial);
  return trial;
}

const { paging, exactness, readings, answer } = SOURCE_OPTIONS;
const by = (name: string, more: object = {}): object => ({ by: name, ...more });
const query = (more: object): object => ({
  readings: { ...readings, query: { from: '{from}', to: '{to}', sensor: '{sensors}', ...more } },
});
const size = { size: '{size}' };

const PAGING: Readonly<Record<string, object>> = {
  cursor: {},
  link: { ...query(size), paging: { ...paging, by: 'link', size: 50 } },
  offset: {
    ...query({ ...size, offset: '{offset}' }),
    paging: by('offset', { size: 50 }),
    exactness: { ...exactness, proof: 'count', count: 'total' },
  },
  page: {
    ...query({ ...size, page: '{page}' }),
    paging: by('page', { size: 50, first: 1 }),
    exactness: { ...exactness, proof: 'empty-page' },
  },
  time: {
    ...query(size),
    sensors: { ...SOURCE_OPTIONS.sensors, perRequest: 1 },
    paging: by('time', { size: 50 }),
    exactness: { ...exactness, proof: 'none' },
    unproven: 'accepted',
  },
  none: { ...query({}), paging: by('none'), exactness: { ...exactness, proof: 'trailer', trailer: 'last' } },
};

const BODIES: Readonly<Record<string, object>> = {
  ndjson: {
    answer: {
      ...answer,
      body: 'ndjson',
      points: '$[$exists(sensor)].{"sensor": sensor, "at": at, "variable": variable, "value": value}',
      empty: '$count($) = 1 and $[-1].end = true',
    },
    paging: { ...paging, next: '$[-1].next' },
  },
  csv: {
    answer: {
      ...answer,
      body: 'csv',
      points: '$.{"sensor": sensor, "at": at, "variable": variable, "value": $number(value)}',
      empty: '$count($) = 0',
    },
    paging: { ...paging, next: '$headers.`x-next`', ends: ['absent'] },
  },
};

/** Points of a window by sensor, as the bridge keeps them. */
async function pointsOf(trial: Trial, window: Window): Promise<Record<string, [number, number][]>> {
  const found: Record<string, [number, number][]> = {};
  for (const stream of trial.streamsOf(await trial.sensors())) {
    const { batch, failed, window: read } = await trial.read(stream, window, 'newest', 1_000_000);
    expect(read).toEqual(window);
    // The window of a sensor that failed is not covered, and asked for again.
    for (const [sensor, error] of failed) throw new Error(`${sensor} failed`, { cause: error });
    for (const { sensorId, segments } of batch.columns)
      found[sensorId] = segments.flatMap(({ at, value }) =>
        at.map((one, index): [number, number] => [one, value[index] ?? NaN]),
      );
  }
  return found;
}

const truthIn = ({ from, to }: Window): Record<string, [number, number][]> =>
  Object.fromEntries(
    SPEC.devices.map(({ id }) => [
      id,
      truth(SPEC, id, 't', Math.ceil(from / 1000), Math.ceil(to / 1000)).map(({ ts, value }) => [
        ts * 1000,
        value as number,
      ]),
    ]),
  );

const begin = FIRST_MS * 1000;
const tiles = [0, 5 * MINUTE, 5 * MINUTE + SECOND, 17 * MINUTE, 30 * MINUTE].map((after) => begin + after);

async function isWhole(trial: Trial): Promise<void> {
  for (const [index, to] of tiles.entries()) {
    const from = tiles[index - 1];
    if (from === undefined) continue;
    const found = await pointsOf(trial, { from, to });
    const expected = Object.entries(truthIn({ from, to })).filter(([, points]) => points.length > 0);
    expect(found).toEqual(Object.fromEntries(expected));
  }
}

describe('every point is read', () => {
  test.each(Object.keys(PAGING))('by %s', async (name) => {
    await isWhole(await trialOf({ paging: name, cap: name === 'none' ? 100_000 : 60 }, { ...PAGING[name] }));
  });

  test.each(Object.keys(BODIES))('from %s', async (body) => {
    await isWhole(await trialOf({ body, cap: 60 }, { ...BODIES[body] }));
  });

  test.each(['[)', '[]', '(]', '()'] as const)('with bounds %s', async (bounds) => {
    await isWhole(await trialOf({ bounds }, { exactness: { ...exactness, bounds } }));
    await isWhole(await trialOf({ bounds }, { exactness: { ...exactness, bounds: 'unknown' } }));
  });

  test.each(['ms', 'us'] as const)('with times in %s, newest first', async (times) => {
    const options = { times: { write: times, read: times }, exactness: { ...exactness, order: 'descending' } };
    await isWhole(await trialOf({ times, order: 'descending', cap: 60 }, options));
  });

  test.each([
    ['none', { by: 'none' }, {}],
    ['basic', { by: 'basic' }, { username: 'u', password: 'pw' }],
    ['token', { by: 'oauth2', client: 'basic', endpoint: '/token' }, { clientId: 'u', clientSecret: 'pw' }],
    [
      'token',
      {
        by: 'login',
        path: '/login',
        body: { user: '{username}', secret: '{password}' },
        answer: 'data.jwt',
        seconds: 'data.lifetime',
        prefix: 'Bearer ',
      },
      { username: 'u', password: 'pw' },
    ],
  ])('signed by %s %j', async (signing, authorisation, connection) => {
    await isWhole(await trialOf({ signing }, { authorisation }, connection));
  });
});

test('a sensor that the list gives twice is read once, and the operator is told', async () => {
  const { sensors } = SOURCE_OPTIONS;
  const trial = await trialOf({}, { sensors: { ...sensors, each: `(${sensors.each})[[0, 1, 0]]` } });
  const doubts: string[] = [];
  const found = await trial.sensors(({ message }) => void doubts.push(message));
  expect(found.map(({ id }) => id)).toEqual(['d 1', 'd,2']);
  expect(doubts).toEqual([expect.stringMatching(/^sensors\.each gives d 1 twice, and it is read once/)]);
});

test('a window that the platform calls too long is halved', async () => {
  const trial = await trialOf({ longestMs: 60_000 });
  const [stream] = trial.streamsOf(await trial.sensors());
  if (stream === undefined) throw new Error('no stream');
  const { halvings } = await trial.read(stream, { from: begin, to: begin + HOUR / 2 }, 'newest', 1_000_000);
  expect(halvings).toBeGreaterThan(0);
});

describe('a server that is not as declared', () => {
  const failing = async (simulator: object, change: object): Promise<unknown> => {
    const trial = await trialOf(simulator, change);
    const [stream] = trial.streamsOf(await trial.sensors());
    if (stream === undefined) throw new Error('no stream');
    return await testDeclaration(trial, stream, 1_000_000).catch((error: unknown) => error);
  };

  test('shows when a check reads it whole, in halves and by smaller pages', async () => {
    expect(await failing({}, {})).toMatchObject({ warning: false, detail: expect.stringMatching(/all agree/) });
  });

  test.each([
    [
      'loses points of a full page',
      { fault: 'cut', paging: 'none', cap: 100 },
      { ...PAGING['none'], ...unprovenNone() },
    ],
    ['leaves the start out', { bounds: '(]' }, {}],
    ['pages by fewer than it is thought to', { paging: 'time', cap: 20 }, PAGING['time'] ?? {}],
  ])('and %s fails the check', async (_, simulator, change) => {
    const error = await failing(simulator, change);
    expect(error).toBeInstanceOf(BridgeError);
  });

  test.each([
    ['count', { count: 'total' }],
    ['trailer', { trailer: 'last' }],
  ])('and ends early is told from one that is complete by its %s', async (proof, more) => {
    const declared = { ...PAGING['none'], exactness: { ...exactness, proof, ...more } };
    const trial = await trialOf({ fault: 'short', paging: 'none', cap: 100 }, declared);
    const reading = pointsOf(trial, { from: begin, to: begin + MINUTE });
    await expect(reading).rejects.toMatchObject({ message: 'd 1 failed', cause: { code: 'contract-broken' } });
  });

  test('answers the latest value, which was not asked for', async () => {
    const trial = await trialOf({ fault: 'latest' });
    const window = { from: begin, to: begin + MINUTE };
    await expect(pointsOf(trial, window)).rejects.toMatchObject({ code: 'contract-broken' });
  });
});

function unprovenNone(): object {
  return { exactness: { ...exactness, cap: 'none', proof: 'none' }, unproven: 'accepted' };
}
