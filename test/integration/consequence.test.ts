import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  bridgeInvalid,
  configInvalid,
  contractBroken,
  credentialsRejected,
  ownPace,
  throttled,
  unsupported,
} from '../../src/core/errors.ts';
import type { BridgeError } from '../../src/core/errors.ts';
import { MOST_REFUSED } from '../../src/platform/connection/index.ts';
import { unavailable } from '../../src/platform/connection/unreachable.ts';
import { HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { SharedClock } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { sharedAccountOf } from '../../src/pull/open/account.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { actOn } from '../../src/pull/consequence.ts';
import { forgetImpossibleWaits } from '../../src/upkeep/future.ts';
import { paceRowsOf } from '../../src/pace/pace-rows.ts';
import type { Stream } from '../../src/pull/open/open-source.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { dueHistories } from '../kit/work.ts';

const databases = useDatabases();
let database: Database;
/** One for a whole test: two measurements of the database's clock differ by a little. */
let clock: SharedClock;
let sourceId: number;
let edition: string;
let stream: Stream;

beforeEach(async () => {
  database = await databases.create();
  clock = await clockOf(database);
  const source = await storeSource(database);
  ({ sourceId, edition } = source);
  stream = { id: await storeStream(database, source), key: 'stream', failures: 0, historyFailures: 0 } as Stream;
});

async function act(
  error: BridgeError,
  given: { stream?: Stream; failures?: number; answered?: boolean; lane?: 'history' | undefined } = {},
): Promise<unknown> {
  const bridge = { database, clock, log: pino({ level: 'silent' }) } as unknown as Bridge;
  const source = { id: sourceId, name: 'source', organisation: 'default', edition };
  return await actOn(bridge, source, error, {
    failures: given.failures ?? 0,
    answered: given.answered ?? false,
    lane: given.lane ?? 'live',
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

it.each(['live', 'history'] as const)(
  'a fault of the archive lets the stream wait as long as it has stood in the lane %s, and is no fault of the source',
  async (lane) => {
    const missing = bridgeInvalid('a day has no file', 'bring it back', 'DATABRIDGE_ARCHIVE');
    const full = bridgeInvalid('no room is left', 'make room', 'DATABRIDGE_ARCHIVE');
    // A minute, then as long as the fault has stood, an hour at most.
    for (const [stood, wait, error] of [
      [0, MINUTE, full],
      [0, MINUTE, full],
      [10 * MINUTE, 10 * MINUTE, full],
      [5 * HOUR, HOUR, missing],
    ] as const) {
      await database.run(
        `update stream set last_fault = last_fault || jsonb_build_object('at', to_jsonb(at_instant($1::bigint))) where last_fault is not null`,
        [clock.now() - stood],
      );
      const until = await act(error, { stream, lane: lane === 'history' ? lane : undefined, failures: 5 });
      expect(Math.abs(Number(until) - clock.now() - wait)).toBeLessThan(5 * SECOND);
    }
    expect(await act(missing)).toBeUndefined();
    expect(await database.row('select state, failures, last_fault, held_until from source')).toEqual({
      state: 'active',
      failures: 0,
      last_fault: null,
      held_until: null,
    });
    expect(await database.row('select failures, last_fault, retry_at is not null as waits from stream')).toEqual({
      failures: 0,
      last_fault: expect.objectContaining({
        own: true,
        message: 'a day has no file',
        remedy: 'bring it back',
      }) as unknown,
      waits: lane === 'live',
    });
  },
);

describe('credentials that the platform refused as often as they may be', () => {
  const state = (name: string): Promise<unknown> =>
    database.row(
      `select source.state, failures, last_fault ->> 'code' as fault, coalesce(pace.state @> '{"paused": true}', false) as silent
       from source join pace on source_id = source.id where name = $1`,
      [name],
    );
  const ACTIVE = { state: 'active', failures: 0, fault: null, silent: false };
  const STOPPED = { state: 'stopped', failures: 1, fault: 'credentials-rejected', silent: true };

  /** Two more sources with the account of the first, one of which is paused, and one with another account. */
  async function storeSharers(): Promise<void> {
    const others = ['sharer', 'paused', 'other'];
    const ids = [sourceId];
    for (const name of others) ids.push((await storeSource(database, name)).sourceId);
    const accounts = ['own', 'own', 'own', 'another'].map((digest) => sharedAccountOf(database, digest));
    for (const [index, id] of ids.entries()) {
      await paceRowsOf(database).read(id);
      await accounts[index]?.link(id, 1);
    }
    await database.run(`update source set state = 'paused' where name = 'paused'`);
  }

  it('stop each other source of their account, and no source of another one', async () => {
    await storeSharers();
    await sharedAccountOf(database, 'own').refuse(randomUUID(), MOST_REFUSED);
    await sharedAccountOf(database, 'another').refuse(randomUUID(), MOST_REFUSED - 1);
    await act(credentialsRejected('no', 'ask'));
    expect(await state('source')).toEqual(STOPPED);
    expect(await state('sharer')).toEqual(STOPPED);
    const where = `select last_fault ->> 'where' as where, last_fault ->> 'lane' as lane from source where name = $1`;
    expect(await database.row(where, ['sharer'])).toEqual({ where: 'source source', lane: null });
    expect(await database.row(where, ['source'])).toEqual({ where: '', lane: 'live' });
    expect(await state('paused')).toEqual({ ...ACTIVE, state: 'paused' });
    expect(await state('other')).toEqual(ACTIVE);
  });

  it('stop no other source where a fault of one source alone stops it', async () => {
    await storeSharers();
    await sharedAccountOf(database, 'own').refuse(randomUUID(), MOST_REFUSED);
    await act(unsupported('no', 'ask'));
    expect(await state('source')).toEqual({ ...STOPPED, fault: 'unsupported' });
    expect(await state('sharer')).toEqual(ACTIVE);
  });
});

it('a source that was changed, resumed or paused meanwhile is not stopped by a fault of its old configuration', async () => {
  const restored = 'revision = 1, edition = gen_random_uuid()';
  for (const change of [`revision = 2`, `state = 'paused'`, `state = 'active', ${restored}`]) {
    await database.run(`update source set ${change}`);
    const before = await database.row('select * from source');
    await act(credentialsRejected('no', 'ask'));
    expect(await database.row('select * from source')).toEqual(before);
  }
});

const faultsOfBefore = (now: number): [BridgeError, Parameters<typeof act>[1]][] => [
  [unavailable('time-out', 'no answer'), { stream, failures: 12 }],
  [unavailable('time-out', 'no answer'), { stream, lane: 'history' }],
  [throttled(now + HOUR, 'slow down'), { stream, failures: 12 }],
  [throttled(now + HOUR, 'slow down'), { stream, lane: 'history' }],
  [ownPace(now + HOUR, 'quiet hours'), {}],
  [configInvalid('no', 'ask'), { stream, lane: 'history' }],
  [contractBroken('odd'), { stream }],
  [contractBroken('odd'), {}],
];

it('a fault of before a resume or change leaves the source and its streams as that left them', async () => {
  // A wait that the end of all waits would end.
  await database.run(`update stream set retry_at = now(), last_fault = '{"code": "unavailable"}'`);
  const rows = (): Promise<unknown> => database.rows('select * from source join stream on source_id = source.id');
  for (const [fault, given] of faultsOfBefore(clock.now())) {
    await database.run('update source set revision = revision + 1');
    const before = await rows();
    expect(await act(fault, given)).toBeUndefined();
    expect(await rows()).toEqual(before);
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

it('quiet hours of days hold a source for no longer than a clock that was ahead is told from', async () => {
  const row = await database.row<{ now: number }>('select instant_of(now()) as now');
  await act(ownPace((row?.now ?? 0) + 60 * HOUR, 'quiet hours'));
  expect(await database.row('select held_until > now() as held, failures from source')).toEqual({
    held: true,
    failures: 0,
  });
  expect(await forgetImpossibleWaits(database)).toBe(0);
});

it('a platform that refuses again after the silence it asked for counts as failing, unless it answered meanwhile', async () => {
  const row = await database.row<{ now: number }>('select instant_of(now()) as now');
  const refuse = async (more: { failures: number; answered?: boolean }): Promise<unknown> => {
    await database.run('update source set held_until = null');
    await act(throttled((row?.now ?? 0) + HOUR, 'slow down'), more);
    return (await database.row<{ failures: number }>('select failures from source'))?.failures;
  };
  expect(await refuse({ failures: 0 })).toBe(0);
  expect(await refuse({ failures: 0 })).toBe(1);
  expect(await refuse({ failures: 1 })).toBe(2);
  expect(await refuse({ failures: 2, answered: true })).toBe(0);
});

it('requests that are refused at the same time are one failure', async () => {
  const now = clock.now();
  for (let request = 0; request < 3; request += 1) await act(throttled(now + HOUR, 'slow down', false));
  expect(await database.row('select failures from source')).toEqual({ failures: 1 });
});

it('a wait for the own pace does not hide the fault that is the reason for it', async () => {
  const now = clock.now();
  await act(unavailable('time-out', 'no answer'));
  await act(ownPace(now + HOUR, 'the platform may still work on it'), { failures: 1 });
  expect(await database.row(`select last_fault ->> 'message' as fault, failures from source`)).toEqual({
    fault: 'no answer',
    failures: 1,
  });
});

it('history that is refused again and again waits longer each time, and live no longer than the platform asked', async () => {
  await dueHistories(database);
  const waits: number[] = [];
  for (const historyFailures of [0, 3, 6]) {
    const now = clock.now();
    const refused = { ...stream, historyFailures };
    waits.push(
      ((await act(throttled(now + 2 * SECOND, 'slow down'), { stream: refused, lane: 'history' })) as number) - now,
    );
    const held = await database.row<{ held: number; failures: number }>(
      'select instant_of(held_until) as held, failures from source',
    );
    expect(held).toEqual({ held: now + 2 * SECOND, failures: 0 });
  }
  // After 0, 3 and 6 refusals: 2.5 to 5 s, 20 to 40 s, 160 to 320 s.
  const [first = 0, later = 0, latest = 0] = waits;
  expect(first).toBeLessThan(10 * SECOND);
  expect(later).toBeGreaterThanOrEqual(20 * SECOND);
  expect(latest).toBeGreaterThanOrEqual(160 * SECOND);
  expect(await database.row(`select failures from work where kind = 'history'`)).toEqual({ failures: 7 });
});
