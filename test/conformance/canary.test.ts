import { afterEach, expect, test } from 'vitest';
import { canary } from '../../adapters/platforms/canary/index.ts';
import type { Authorisation, FailedSensor, Http, Samples } from '../../src/platform/contract.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../../src/platform/connection/index.ts';
import type { Connection } from '../../src/platform/connection/index.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';

const firstMs = Date.UTC(2026, 0, 1);
const from = firstMs * 1000;
const window = { from, to: from + 600_000_000 };
const key = { name: 'speed', kind: 'number', everyMs: 60_000 } as const;
const device = (name: string) => ({ id: `Plant.${name}`, name, keys: [key] });
const truth: TruthSpec = {
  seed: 1,
  firstMs,
  endMs: firstMs + 86_400_000,
  devices: ['a', 'b', 'c'].map(device),
};
const account = { username: 'bridge', password: 'secret' };

const running: { simulator: RunningSimulator; connection: Connection }[] = [];
afterEach(async () => {
  for (const { simulator, connection } of running.splice(0)) {
    await connection.close();
    await simulator.stop();
  }
});

/** A simulated Canary, and the bridge's own connection to it, as a check or a preview opens one. */
async function started(options: object = {}, password = account.password) {
  const given = { name: 'canary', accounts: [account], truth, clockMs: firstMs + 86_400_000, ...options };
  const simulator = await startSimulator(given);
  const slot = { inDoubt: true, release: () => undefined };
  const connection = openConnection(
    {
      baseUrl: simulator.url,
      credentials: { url: simulator.url, username: account.username, password },
      authorisation: canary.kinds['user-credentials'] as Authorisation,
      allowHosts: undefined,
    },
    {
      pacer: { slot: async () => slot, hold: async () => undefined },
      tokens: memoryTokens(),
      account: memoryAccount(),
      now: () => from,
      userAgent: 'databridge-test',
    },
  );
  running.push({ simulator, connection });
  const http = connection.http({ lane: 'live', signal: new AbortController().signal, meter: newMeter() });
  const calls = async (): Promise<string[]> => (await simulator.log()).map(({ path }) => path.replace('/api/v2/', ''));
  const openTokens = async (): Promise<number> =>
    ((await simulator.admin('GET', 'state')) as { openTokens: number }).openTokens;
  return { simulator, connection, http, calls, openTokens };
}

/** The number of points of each tag, or the error of a tag that failed. */
async function readOf(http: Http, ...sensors: string[]): Promise<Record<string, number | string>> {
  const selection = { group: undefined, sensors, variables: undefined };
  const found: Record<string, number | string> = {};
  const items: AsyncIterable<Samples | FailedSensor> = canary.read(http, canary.options.parse({}), selection, window);
  for await (const item of items) {
    if ('failed' in item) found[item.sensor] = item.failed.message;
    else found[item.sensor] = Number(found[item.sensor] ?? 0) + item.at.length;
  }
  return found;
}

const tags = ['Plant.a.speed', 'Plant.b.speed', 'Plant.c.speed'];

test('a connection gives its token back when it ends', async () => {
  const { connection, http, openTokens, calls } = await started();
  await canary.identify(http, canary.options.parse({}));
  expect(await openTokens()).toBe(1);
  await connection.close();
  expect(await openTokens()).toBe(0);
  expect(await calls()).toEqual(['getUserToken', 'browseTags', 'revokeUserToken']);
});

test('a token that ended because nothing used it leads to one login, and one licence is enough', async () => {
  const { simulator, http, calls, openTokens } = await started({ licences: 1, bounds: '[)' });
  await readOf(http, 'Plant.a.speed');
  await simulator.clock({ advanceMs: 300_000 });
  expect(await readOf(http, 'Plant.a.speed')).toEqual({ 'Plant.a.speed': 10 });
  expect(await calls()).toEqual(['getUserToken', 'getTagData2', 'getTagData2', 'getUserToken', 'getTagData2']);
  expect(await openTokens()).toBe(1);
});

test.each(['refused', 'skipped'] as const)('the others are read where an unknown tag is %s', async (unknownTag) => {
  const { http } = await started({ unknownTag, bounds: '[)' });
  expect(await readOf(http, tags[0] as string, 'Plant.gone', ...tags.slice(1))).toEqual({
    'Plant.a.speed': 10,
    'Plant.gone': expect.stringMatching(/Plant\.gone.*Tag not found/),
    'Plant.b.speed': 10,
    'Plant.c.speed': 10,
  });
});

test.each([
  [{ refusedLogin: 'Errors' }, 'wrong', 'credentials-rejected'],
  [{ refusedLogin: 'BadUserToken' }, 'wrong', 'credentials-rejected'],
  [{ licensed: false }, 'secret', 'unavailable'],
])('a login with %o and the password %s is %s, after one request', async (options, password, code) => {
  const { http, calls } = await started(options, password);
  await expect(readOf(http, ...tags)).rejects.toMatchObject({ code });
  expect(await calls()).toEqual(['getUserToken']);
});

test.each(['Errors', 'BadLicense'] as const)('without a free licence (%s) the source waits', async (noLicence) => {
  const { simulator, http } = await started({ licences: 1, noLicence });
  const held = await fetch(`${simulator.url}/api/v2/getUserToken`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, application: 'other' }),
  });
  expect(await held.json()).toMatchObject({ statusCode: 'Good' });
  await expect(readOf(http, ...tags)).rejects.toMatchObject({
    code: 'unavailable',
    remedy: expect.stringContaining('licence'),
  });
});
