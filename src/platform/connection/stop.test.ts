import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { stopOf } from './stop.ts';

test('a signal stops every request that has it, and no request that has ended', () => {
  const caller = new AbortController();
  const closing = new AbortController();
  const [one, other, ended] = [
    stopOf([caller.signal, closing.signal]),
    stopOf([caller.signal]),
    stopOf([caller.signal]),
  ];
  ended.end();
  closing.abort();
  expect([one, other, ended].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  caller.abort();
  expect([one, other, ended].map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  expect(stopOf([caller.signal]).signal.aborted).toBe(true);
});

test('a signal has one listener while requests have it, and none after their end', () => {
  const { signal } = new AbortController();
  const requests = Array.from({ length: 50 }, () => stopOf([signal]));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const { end } of requests) end();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
