import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { HOUR, SECOND, formatInstant, parseInstant } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import { PATH, curl, expectProblem, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

afterEach(async () => {
  await api.close();
});

const DATE = '2026-11-20T08:15:30Z';
const AT = parseInstant(DATE) ?? NaN;
const good = { sensorId: 'pump-7', date: DATE, value: 4.25 };
const MOST_BYTES = 10 * 1_048_576;
const MOST_READINGS = 50_000;

describe('with default settings', () => {
  it('a body holds at most 10 MiB, also after unpacking', async () => {
    api = await startApi(databases);
    const [begin, end] = [JSON.stringify([good]).slice(0, -1), ']'];
    const body = (bytes: number): string => begin.padEnd(bytes - 1) + end;
    const gzip = ['-H', 'Content-Encoding: gzip'];
    expect(await api.push(body(MOST_BYTES))).toMatchObject({ status: 200 });
    expect(await api.push(gzipSync(body(MOST_BYTES)), ...gzip)).toMatchObject({ status: 200 });
    expectProblem(await api.push(body(MOST_BYTES + 1)), 413, 'body-too-large');
    expectProblem(await api.push(body(MOST_BYTES + 1), '-H', 'Transfer-Encoding: chunked'), 413, 'body-too-large');
    expectProblem(await api.push(gzipSync(body(MOST_BYTES + 1)), ...gzip), 413, 'body-too-large');
  });

  it('a body holds at most 50,000 readings', async () => {
    api = await startApi(databases);
    const readings = Array.from({ length: MOST_READINGS }, (_, index) => ({
      sensorId: `s${index % 10}`,
      date: formatInstant(AT + index * SECOND),
      value: index,
    }));
    expectProblem(await api.push([...readings, good]), 413, 'too-many-readings');
    expect(await api.push(readings)).toMatchObject({ status: 200, json: { accepted: MOST_READINGS } });
    expect(await api.database.row('select count(*) from reading')).toEqual({ count: MOST_READINGS });
  });
});

const nowOf = async (): Promise<number> =>
  (await api.database.row<{ at: number }>('select instant_of(clock_timestamp()) as at'))?.at ?? Number.NaN;

/** Whether a reading this many hours ahead of the database's clock is accepted. */
async function isAccepted(hours: number): Promise<boolean> {
  const date = formatInstant((await nowOf()) + hours * HOUR);
  const answer = await api.push([{ ...good, date }]);
  if (answer.status === 200) return true;
  expect(answer).toMatchObject({ status: 422, json: { refused: [{ pointer: '/0/date', reason: 'in-the-future' }] } });
  return false;
}

test.each([
  [0, 0.1],
  [1, 1.1],
  [48, 48.1],
])('DATABRIDGE_API_AHEAD_HOURS limits how far ahead a reading may lie: %d h', async (setting, tooFar) => {
  api = await startApi(databases, { DATABRIDGE_API_AHEAD_HOURS: String(setting) });
  expect(await isAccepted(tooFar - 0.2)).toBe(true);
  expect(await isAccepted(tooFar)).toBe(false);
});

test('a body with a reading in each of 803 months makes tables only for the months of DATABRIDGE_API_BACK_DAYS', async () => {
  api = await startApi(databases, { DATABRIDGE_API_BACK_DAYS: '366' });
  const tables = async (): Promise<number> =>
    (await api.database.rows(`select from pg_inherits where inhparent = 'reading'::regclass`)).length;
  const before = await tables();
  const now = new Date();
  const dates = Array.from({ length: 803 }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString(),
  );
  const answer = await api.push(dates.map((date) => ({ ...good, date })));
  const { accepted, refusedCount, refused } = answer.json as {
    accepted: number;
    refusedCount: number;
    refused: { reason: string; index: number }[];
  };
  expect(accepted).toBeGreaterThanOrEqual(12);
  expect(accepted).toBeLessThanOrEqual(14);
  expect(refusedCount).toBe(803 - accepted);
  expect(refused[0]).toMatchObject({ index: accepted, reason: 'too-old' });
  expect((await tables()) - before).toBeLessThanOrEqual(accepted);
});

describe('on a host whose clock is wrong', () => {
  afterEach(() => {
    vi.useRealTimers();
    Reflect.deleteProperty(performance, 'timeOrigin');
  });

  /** Sets both clocks of JavaScript; timers keep running. */
  function setClocks(hours: number): void {
    const milliseconds = hours * 3_600_000;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
    Object.defineProperty(performance, 'timeOrigin', {
      value: performance.timeOrigin + milliseconds,
      configurable: true,
    });
  }

  it.each([30, -30])('by %d hours, tokens and dates go by the clock of the database', async (hours) => {
    setClocks(hours);
    api = await startApi(databases);
    const payload = Buffer.from(api.client.token.split('.')[1] ?? '', 'base64url').toString();
    const { iat, exp } = JSON.parse(payload) as { iat: number; exp: number };
    expect(Math.abs(iat - (await nowOf()) / 1e6)).toBeLessThan(600);
    expect([3600, 3601]).toContain(exp - iat);
    expect(await isAccepted(23.9)).toBe(true);
    expect(await isAccepted(24.1)).toBe(false);
  });
});

it('an address that was refused too often is told when to try again', async () => {
  api = await startApi(databases, { DATABRIDGE_API_FAILURES_PER_MINUTE: '1' });
  let answer = await curl('-H', 'Authorization: Bearer x', '-d', '[]', api.url + PATH);
  for (let count = 0; answer.status === 401 && count < 20; count += 1) {
    answer = await curl('-H', 'Authorization: Bearer x', '-d', '[]', api.url + PATH);
  }
  expectProblem(answer, 429, 'too-many-failures');
  expect(answer.headers['retry-after']).toMatch(/^[1-6]$/);
});
