import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { platforms } from '../../adapters/index.ts';
import { BridgeError } from '../../src/core/errors.ts';
import type { FaultCode } from '../../src/core/errors.ts';
import { HOUR, parseInstant } from '../../src/core/instant.ts';
import type { Authorisation, Http, Platform } from '../../src/platform/contract.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../../src/platform/connection/index.ts';
import type { Connection } from '../../src/platform/connection/index.ts';
import { planStreams } from '../../src/pull/stream-plan.ts';
import { BAD_ANSWERS, startBadServer } from './bad-answers.ts';
import type { BadServer } from './bad-answers.ts';
import { PAPER_RULES, PLATFORMS, sourceOf } from './platform-rules.ts';
import type { Rules } from './platform-rules.ts';
import { WAIVERS } from './waivers.ts';

let server: BadServer;
const connections: Connection[] = [];

beforeAll(async () => {
  server = await startBadServer();
});

afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
});

afterAll(() => server.close());

const FROM = parseInstant('2026-01-01T00:00:00Z') ?? 0;
const WINDOW = { from: FROM, to: FROM + HOUR };
const SECRET = 'Pa55-never-shown';
const never = new AbortController().signal;

/**
 * The closed list without two: `bug`, which is a fault of the adapter, and `cancelled`, because the test cancels
 * nothing.
 */
const CODES: readonly FaultCode[] = [
  'throttled',
  'unavailable',
  'too-much',
  'credentials-rejected',
  'contract-broken',
  'unsupported',
  'config-invalid',
];

/** An adapter that sends more requests than this to a platform with bad answers would never end. */
const MOST_REQUESTS = 12;

/** An http with all layers of the bridge and a pacer that never waits. */
function connect(authorisation: Authorisation, signal = never): Http {
  const slot = { inDoubt: true, release: () => undefined };
  const connection = openConnection(
    {
      baseUrl: server.url,
      credentials: {
        url: server.url,
        authUrl: server.url,
        username: 'bridge',
        password: SECRET,
        clientId: 'bridge',
        clientSecret: SECRET,
        apiKey: SECRET,
        token: SECRET,
      },
      authorisation,
      allowHosts: undefined,
    },
    {
      pacer: { slot: async () => slot, hold: async () => undefined },
      tokens: memoryTokens(),
      account: memoryAccount(),
      now: () => FROM,
      userAgent: 'databridge-test',
    },
  );
  connections.push(connection);
  return connection.http({ lane: 'live', signal, meter: newMeter() });
}

/** Without a login, so that the request itself gets the bad answer. */
const open: Authorisation = { sign: () => ({}) };

async function counted(items: AsyncIterable<unknown>): Promise<string> {
  let number = 0;
  for await (const _ of items) number += 1;
  return `${number} items and no error`;
}

/** The operations of a platform. Where one does not throw, it returns its result for the message of the test. */
const OPERATIONS: Readonly<Record<string, (platform: Platform, http: Http) => Promise<unknown>>> = {
  identify: (platform, http) => platform.identify(http, sourceOf(platform).options),
  sensors: (platform, http) => counted(platform.sensors(http, sourceOf(platform).options)),
  read: (platform, http) => {
    const sensor = { id: 'sensor', group: 'group', variables: ['variable'] };
    const { sensorsPerRead, namesVariables } = platform.facts;
    const [stream] = planStreams([sensor], [], {
      sensorsPerRead,
      namesVariables,
      mostSeries: Infinity,
      chosen: 'all',
    }).added;
    if (!stream) throw new Error('there is no stream to read');
    return counted(platform.read(http, sourceOf(platform).options, stream.selection, WINDOW));
  },
};

async function refusalOf(asking: Promise<unknown>): Promise<BridgeError> {
  const outcome: unknown = await asking.then(
    (brought) => `took it for an answer: ${JSON.stringify(brought)}`,
    (error: unknown) => error,
  );
  if (outcome instanceof BridgeError) return outcome;
  throw new Error('the operation must throw a BridgeError', { cause: outcome });
}

function expectProper(error: BridgeError, code: FaultCode | undefined): void {
  expect(code === undefined ? CODES : [code]).toContain(error.code);
  expect(error.message).toMatch(/\S/);
  expect(JSON.stringify([error.message, error.remedy, error.fault])).not.toContain(SECRET);
  expect(server.asked.length).toBeGreaterThan(0);
  expect(server.asked.length).toBeLessThanOrEqual(MOST_REQUESTS);
}

const ANSWER_RULES: Rules = Object.fromEntries(
  Object.entries(BAD_ANSWERS).flatMap(([answer, { send, code }]) => [
    ...Object.entries(OPERATIONS).map(([operation, ask]) => [
      `${operation} does not take ${answer} for an answer`,
      async (platform: Platform) => {
        server.answer(send);
        expectProper(await refusalOf(ask(platform, connect(open))), code);
      },
    ]),
    [
      `a login does not take ${answer} for a token`,
      async (platform: Platform) => {
        for (const authorisation of Object.values(platform.kinds)) {
          if (authorisation.obtain === undefined) continue;
          server.answer(send);
          expectProper(await refusalOf(connect(authorisation).get('/')), code);
        }
      },
    ],
  ]),
);

const CANCEL_RULES: Rules = Object.fromEntries(
  Object.entries(OPERATIONS).flatMap(([operation, ask]) => [
    [
      `${operation} that was cancelled before sends no request`,
      async (platform: Platform) => {
        server.answer(undefined);
        const error = await refusalOf(ask(platform, connect(open, AbortSignal.abort())));
        expect(error.code).toBe('cancelled');
        expect(server.asked).toEqual([]);
      },
    ],
    [
      `${operation} that is cancelled during a request ends`,
      async (platform: Platform) => {
        server.answer(undefined);
        const stop = new AbortController();
        const asking = refusalOf(ask(platform, connect(open, stop.signal)));
        await expect.poll(() => server.asked.length).toBe(1);
        stop.abort();
        expect((await asking).code).toBe('cancelled');
        expect(server.asked).toHaveLength(1);
      },
    ],
  ]),
);

const RULES: Rules = { ...PAPER_RULES, ...ANSWER_RULES, ...CANCEL_RULES };

// A simulator may be there before its platform, so that another author writes it from the facts alone.
it('every folder with a platform is registered, and every registered platform has a folder', () => {
  const folders = readdirSync(PLATFORMS).filter((name) => existsSync(join(PLATFORMS, name, 'index.ts')));
  expect(platforms.map(({ name }) => name).toSorted()).toEqual(folders.toSorted());
});

it('every waiver names a platform and a rule that exist, with a reason', () => {
  for (const [platform, waived] of Object.entries(WAIVERS)) {
    expect(platforms.map(({ name }) => name)).toContain(platform);
    for (const [rule, reason] of Object.entries(waived)) {
      expect(Object.keys(RULES)).toContain(rule);
      expect(reason).toMatch(/\S{3}/);
    }
  }
});

describe.each(platforms.map((platform) => [platform.name, platform] as const))('%s', (name, platform) => {
  it.each(Object.entries(RULES))('%s', async (rule, keeps) => {
    const reason = WAIVERS[name]?.[rule];
    if (reason === undefined) return await keeps(platform);
    const kept = await Promise.resolve(keeps(platform)).then(
      () => true,
      () => false,
    );
    if (kept) throw new Error(`the platform keeps this rule now: take the waiver out (${reason})`);
  });
});
