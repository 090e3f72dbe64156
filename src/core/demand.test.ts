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
  expect(overload?.remedy).toContain('raise pace.requestsPerSecond to 15');
  expect(overload?.remedy).toContain('poll every 2m or less often');
});

test('a platform that takes longer for the windows of a poll than its places allow is told, too', () => {
  const slow = { ...demand, requestsPerSecond: 20, timePerWindow: 3 * SECOND };
  const overload = overloadOf(slow);
  expect(overload?.times).toBe(9);
  expect(overload?.message).toContain(
    'need 18 requests at a time: the platform takes 3s for each window of 60 streams every 10s, and pace.concurrency is 2',
  );
  expect(overload?.remedy).toContain('raise pace.concurrency to 22');
  expect(overload?.remedy).toContain('poll every 1m30s or less often');
  expect(overloadOf({ ...slow, requestsPerSecond: 1 })?.times).toBe(12);
});

test.each([
  ['a source within its pace', { ...demand, requestsPerSecond: 12 }],
  ['a source without streams', { ...demand, streams: 0 }],
  ['a source that was never measured', { ...demand, requestsPerWindow: Number.NaN }],
])('%s is not overloaded', (_what, given) => expect(overloadOf(given)).toBeUndefined());
