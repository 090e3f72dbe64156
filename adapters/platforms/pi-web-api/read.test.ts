import { describe, expect, test } from 'vitest';
import { parseInstant } from '../../../src/core/instant.ts';
import type { FailedSensor, Http, Samples } from '../../../src/platform/contract.ts';
import { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedPlatform } from '../../../src/simulator/contract.ts';
import type { TruthSpec } from '../../../src/simulator/truth.ts';
import { piOptions } from './options.ts';
import { read } from './read.ts';
import { simulatedPiWebApi } from './simulator.ts';

const from = parseInstant('2026-01-01T12:00:00Z') ?? 0;
const window = { from, to: from + 60_000_000 };
const names = ['a.speed', 'b.speed', 'c.speed'];

/** Points that have this many values, one a second. */
function truthOf(...counts: readonly number[]): TruthSpec {
  const listed = (count: number) =>
    Array.from({ length: count }, (_, second) => ({ ts: from / 1000 + second * 1000, value: second }));
  const key = { name: 'speed', kind: 'number' as const, everyMs: 1000 };
  const devices = counts.map((count, index) => {
    const name = names[index]?.slice(0, 1) ?? '';
    return { id: name, name, keys: [{ ...key, listed: listed(count) }] };
  });
  return { seed: 1, firstMs: 0, endMs: window.to / 1000 + 86_400_000, devices };
}

const open = (options: object): SimulatedPlatform =>
  simulatedPiWebApi.open(
    { accounts: [{ username: 'bridge', password: 'secret' }], ...options },
    new SimulatedClock(window.to / 1000 + 3_600_000),
  );

/** The simulator without a network. `asked`: the path of each request. */
function httpOf(current: () => SimulatedPlatform, asked: string[] = []): Http {
  const get = async (path: string, { params = {} }: { params?: Record<string, string | number | string[]> }) => {
    const query = new URLSearchParams();
    for (const [name, given] of Object.entries(params))
      for (const text of [given].flat()) query.append(name, String(text));
    asked.push(`${path}${query.has('path') ? ` ${query.get('path')}` : ''}`);
    const authorization = `Basic ${Buffer.from('bridge:secret').toString('base64')}`;
    const request = { method: 'GET', path: `/piwebapi${path}`, query, headers: { authorization }, body: '' };
    const { status, body } = await current().answer({ ...request, pointEffects: [], badSensors: [] });
    return { status, data: JSON.parse(body as string) as unknown };
  };
  return { get } as unknown as Http;
}

const isFailed = (item: Samples | FailedSensor): item is FailedSensor => 'failed' in item;

async function readAll(http: Http, options = piOptions.parse({ pageLimit: 10 })) {
  const counts: Record<string, number> = {};
  const failed: Record<string, string> = {};
  for await (const item of read(http, options, { group: undefined, sensors: names, variables: undefined }, window)) {
    if (isFailed(item)) failed[item.sensor] = item.failed.message;
    else counts[item.sensor] = (counts[item.sensor] ?? 0) + item.at.length;
  }
  return { counts, failed };
}

describe('a set of points', () => {
  test.each([
    ['each', [3, 4, 2], 1],
    ['all', [3, 4, 2], 1],
    // Just as many as the page: any of them may lack values.
    ['each', [3, 4, 3], 4],
    ['all', [3, 4, 3], 4],
    ['each', [10, 1, 1], 2],
    ['all', [10, 1, 1], 5],
    ['each', [25, 0, 10], 4],
    ['all', [25, 0, 10], 7],
  ] as const)('is read whole where maxCount is for %s and the points have %j values', async (setCount, given, most) => {
    const asked: string[] = [];
    const platform = open({ truth: truthOf(...given), setCount });
    const { counts } = await readAll(httpOf(() => platform, asked));
    expect(counts).toEqual(Object.fromEntries(names.map((name, index) => [name, given[index]]).filter(([, n]) => n)));
    expect(asked.filter((path) => path.startsWith('/streamsets'))).toHaveLength(most);
  });

  test('that broke off in the middle is unavailable, and not a short one', async () => {
    const platform = open({ truth: truthOf(3, 3, 3), breaksAt: 1 });
    await expect(readAll(httpOf(() => platform))).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('fails the points of which the server could not read a value, and no others', async () => {
    const whole = open({ truth: truthOf(3, 3, 3) });
    const broken = open({ truth: truthOf(3), errorEvery: 1 });
    const http = httpOf(() => ({
      ...whole,
      async answer(request) {
        const answer = await whole.answer(request);
        if (!request.path.endsWith('/recorded')) return answer;
        const query = new URLSearchParams(request.query);
        const [first = ''] = query.getAll('webId');
        query.set('webId', first);
        const faulty = await broken.answer({ ...request, query });
        if (faulty.status !== 200) return answer;
        const bodies = [faulty, answer].map(({ body }) => JSON.parse(body as string) as { Items: unknown[] });
        const Items = [...(bodies[0]?.Items ?? []), ...(bodies[1]?.Items.slice(1) ?? [])];
        return { status: 200, body: JSON.stringify({ Items }) };
      },
    }));
    const { counts, failed } = await readAll(http);
    expect(counts).toEqual({ 'b.speed': 3, 'c.speed': 3 });
    expect(failed).toEqual({ 'a.speed': expect.stringContaining('failed to read the value') });
  });

  test('with more values than the server gives stops the source and names the option', async () => {
    const platform = open({ truth: truthOf(3, 3, 3), mostReturned: 5 });
    await expect(readAll(httpOf(() => platform))).rejects.toMatchObject({
      code: 'config-invalid',
      fault: { path: 'options.pageLimit' },
    });
  });
});

describe('the WebId of a point', () => {
  const renamed = (platform: SimulatedPlatform): SimulatedPlatform => ({
    ...platform,
    async answer(request) {
      const answer = await platform.answer(request);
      return { ...answer, body: (answer.body as string).replaceAll('"a.speed"', '"z.speed"') };
    },
  });

  test('is asked for once in a process', async () => {
    const asked: string[] = [];
    const options = piOptions.parse({});
    const platform = open({ truth: truthOf(1, 1, 1) });
    const http = httpOf(() => platform, asked);
    await readAll(http, options);
    await readAll(http, options);
    const look = names.map((name) => `/points \\\\PISRV01\\${name}`);
    expect(asked).toEqual(['/dataservers', ...look, '/streamsets/recorded', '/streamsets/recorded']);
  });

  test('that names another point by now is not read under the old name', async () => {
    const options = piOptions.parse({});
    let platform = open({ truth: truthOf(1, 1, 1) });
    const http = httpOf(() => platform);
    await readAll(http, options);
    platform = renamed(platform);
    expect(await readAll(http, options)).toEqual({
      counts: { 'b.speed': 1, 'c.speed': 1 },
      failed: { 'a.speed': expect.stringContaining('another point') },
    });
  });
});

test.each([
  [{}, { code: 'config-invalid', remedy: expect.stringContaining('PISRV01, PISRV02') }],
  [{ dataServer: 'PISRV03' }, { code: 'config-invalid', fault: { path: 'options.dataServer' } }],
])('several data servers need a choice: %j', async (given, error) => {
  const platform = open({ truth: truthOf(1) });
  const two: SimulatedPlatform = {
    ...platform,
    answer: () => ({
      status: 200,
      body: JSON.stringify({ Items: ['PISRV01', 'PISRV02'].map((Name) => ({ Name, WebId: Name })) }),
    }),
  };
  await expect(
    readAll(
      httpOf(() => two),
      piOptions.parse(given),
    ),
  ).rejects.toMatchObject(error);
});
