import pino from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { configInvalid, contractBroken, credentialsRejected, throttled, unsupported } from '../../src/core/errors.ts';
import type { BridgeError } from '../../src/core/errors.ts';
import { HOUR } from '../../src/core/instant.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { actOn } from '../../src/pull/consequence.ts';
import type { Stream } from '../../src/pull/open-source.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';

const databases = useDatabases();
let database: Database;
let sourceId: number;
let stream: Stream;

beforeEach(async () => {
  database = await databases.create();
  const source = await storeSource(database);
  ({ sourceId } = source);
  stream = { id: await storeStream(database, source), key: 'stream', failures: 0 } as Stream;
});

async function act(error: BridgeError, given: { revision?: number; stream?: Stream } = {}): Promise<unknown> {
  const bridge = { database, clock: await clockOf(database), log: pino({ level: 'silent' }) } as unknown as Bridge;
  const source = { id: sourceId, name: 'source', revision: given.revision ?? 1 };
  return await actOn(bridge, source, error, {
    failures: 0,
    lane: 'live',
    ...(given.stream && { stream: given.stream }),
  });
}

const stopping = [
  credentialsRejected('no', 'ask'),
  unsupported('no', 'ask'),
  configInvalid('no', 'ask', 'options.database'),
];

it.each(stopping.map((error) => [error.code, error] as const))(
  '%s stops the source and is shown to the operator',
  async (code, error) => {
    await act(error);
    expect(await database.row('select state, failures, last_fault from source')).toMatchObject({
      state: 'stopped',
      failures: 1,
      last_fault: { code, message: 'no', remedy: 'ask' },
    });
  },
);

it('a source that was changed, resumed or paused meanwhile is not stopped by a fault of its old revision', async () => {
  for (const change of [`revision = 2`, `state = 'paused', revision = 1`]) {
    await database.run(`update source set ${change}`);
    const before = await database.row('select * from source');
    await act(credentialsRejected('no', 'ask'));
    expect(await database.row('select * from source')).toEqual(before);
  }
});

it('a fault is kept whatever characters the answer of the platform holds', async () => {
  const odd = 'NUL \0, half \ud83d and whole 😀';
  for (const where of [{}, { stream }]) await act(contractBroken(odd, `<page>${odd}`), where);
  const kept = 'NUL ␀, half \ufffd and whole 😀';
  expect(await database.row('select last_fault from source')).toMatchObject({
    last_fault: { code: 'contract-broken', message: kept, page: `<page>${kept}` },
  });
  expect(await database.row('select last_fault, failures, retry_at > now() as later from stream')).toMatchObject({
    last_fault: { message: kept },
    failures: 1,
    later: true,
  });
  expect(await database.row('select state from source')).toEqual({ state: 'active' });
});

it('a platform that names a time is not asked before it, and that is no failure', async () => {
  const row = await database.row<{ now: number }>('select instant_of(now()) as now');
  const until = (row?.now ?? 0) + HOUR;
  await act(throttled(until, 'slow down'));
  await act(throttled(until - HOUR / 2, 'a little'));
  expect(await database.row('select instant_of(held_until) as held, failures, state from source')).toEqual({
    held: until,
    failures: 0,
    state: 'active',
  });
});
