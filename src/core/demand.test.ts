import { expect, test } from 'vitest';
import { overloadOf } from './demand.ts';
import { SECOND } from './instant.ts';

const demand = { streams: 60, requestsPerWindow: 2, every: 10 * SECOND, requestsPerSecond: 1, concurrency: 2 };

test('a source that needs twelve times its pace is told so, with numbers and a remedy', () => {
  const overload = overloadOf(demand);
  expect(overload?.times).toBe(12);
  expect(overload?.message).toContain(
    'need 12 times the requests that the pace allows: 60 streams × 2 requests every 10s are 12 a second, and pace.requestsPerSecond is 1',
  );
  expect(overload?.message).toContain('a round takes 2m instead of 10s, so live falls behind');
  expect(overload?.remedy).toBe(
    'choose fewer sensors, poll every 2m24s or less often, or raise pace.requestsPerSecond to 15 if the platform bears it',
  );
  expect(overloadOf({ ...demand, every: 144 * SECOND })).toBeUndefined();
});

test('thousands of sensors are told in hours', () => {
  const overload = overloadOf({ ...demand, streams: 10_080, requestsPerWindow: 1, every: 60 * SECOND });
  expect(overload?.message).toContain('a round takes 2h48m instead of 1m');
});

test('a platform that takes longer for the windows of a poll than its places allow is told, too', () => {
  const slow = { ...demand, requestsPerSecond: 20, timePerWindow: 3 * SECOND };
  const overload = overloadOf(slow);
  expect(overload?.times).toBe(9);
  expect(overload?.message).toContain(
    'need 18 requests at a time: the platform takes 3s for each window of 60 streams every 10s, and pace.concurrency is 2',
  );
  expect(overload?.remedy).toContain('raise pace.concurrency to 22');
  expect(overload?.remedy).toContain('poll every 1m48s or less often');
  expect(overloadOf({ ...slow, requestsPerSecond: 1 })?.times).toBe(12);
});

test('all of the message and of the remedy', () => {
  const rate = overloadOf({ ...demand, streams: 1, every: 1_500_000, requestsPerSecond: 0.125 });
  expect(rate).toEqual({
    times: 2 / 1.5 / 0.125,
    message:
      'live polls need 11 times the requests that the pace allows: 1 stream × 2 requests every 1s500ms are 1.3 a second, and pace.requestsPerSecond is 0.13; a round takes 16s instead of 1s500ms, so live falls behind, and history and backfills get nothing',
    remedy:
      'choose fewer sensors, poll every 20s or less often, or raise pace.requestsPerSecond to 1.6 if the platform bears it',
  });
  const places = overloadOf({ ...demand, streams: 3, requestsPerSecond: 100, timePerWindow: 8_000_400, every: SECOND });
  expect(places).toEqual({
    times: 12.0006,
    message:
      'live polls need 25 requests at a time: the platform takes 8s1ms for each window of 3 streams every 1s, and pace.concurrency is 2; a round takes 13s instead of 1s, so live falls behind, and history and backfills get nothing',
    remedy:
      'choose fewer sensors, poll every 15s or less often, or raise pace.concurrency to 29 if the platform bears it',
  });
});

test('where rate and places are short, the one that is shorter is told, and the rate where they are as short', () => {
  const both = { ...demand, timePerWindow: 4 * SECOND };
  expect(overloadOf(both)?.message).toContain('pace.requestsPerSecond');
  expect(overloadOf({ ...both, timePerWindow: 4 * SECOND + 1 })?.message).toContain('pace.concurrency');
  expect(overloadOf({ ...both, timePerWindow: 4 * SECOND - 1 })?.message).toContain('pace.requestsPerSecond');
});

test.each([
  [9_000_100, '9s1ms'],
  [10 * SECOND, '10s'],
  [10_000_100, '11s'],
])('a time of %i µs for each window is told as %s', (timePerWindow, told) => {
  expect(overloadOf({ ...demand, timePerWindow })?.message).toContain(`takes ${told} for each window`);
});

test.each([
  [0.0301, '0.03'],
  [9.94, '9.9'],
  [10, '10'],
  [10.2, '11'],
])('a pace of %d requests a second is told as %s', (requestsPerSecond, told) => {
  const overload = overloadOf({ ...demand, streams: 600, requestsPerSecond });
  expect(overload?.message).toContain(`pace.requestsPerSecond is ${told};`);
});

test.each([
  ['a source that needs exactly its places', { ...demand, requestsPerSecond: 100, timePerWindow: SECOND / 3 }],
  ['a source within its pace', { ...demand, requestsPerSecond: 12 }],
  ['a source without streams', { ...demand, streams: 0 }],
  ['a source that was never measured', { ...demand, requestsPerWindow: Number.NaN }],
])('%s is not overloaded', (_what, given) => expect(overloadOf(given)).toBeUndefined());
