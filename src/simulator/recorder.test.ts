import { expect, test } from 'vitest';
import { maxInSlidingSecond, Recorder } from './recorder.ts';

test('a sliding second holds its end and not its beginning', () => {
  expect(maxInSlidingSecond([])).toBe(0);
  expect(maxInSlidingSecond([0, 1000, 2000])).toBe(1);
  expect(maxInSlidingSecond([2000, 0, 999.9])).toBe(2);
  expect(maxInSlidingSecond([0, 600, 1100, 1500, 1599.9, 1600])).toBe(4);
});

test('statistics count arrivals per second and requests open at once', () => {
  const recorder = new Recorder();
  const [first, second] = [recorder.arrive('GET', '/a', '', 0), recorder.arrive('GET', '/b', 'x=1', 900)];
  recorder.leave(first, 200, 950);
  recorder.leave(first, null, 960);
  const third = recorder.arrive('POST', '/c', '', 1000);
  expect(recorder.statistics()).toEqual({ total: 3, maxInOneSecond: 2, maxConcurrent: 2, concurrent: 2 });
  recorder.leave(second, null, 1001);
  expect(recorder.log()).toMatchObject([
    { number: 1, status: 200, finishedMs: 950 },
    { number: 2, query: 'x=1', status: null, finishedMs: 1001 },
    { number: 3, method: 'POST', finishedMs: null },
  ]);
  recorder.reset();
  expect(recorder.log()).toEqual([]);
  expect(recorder.statistics()).toEqual({ total: 0, maxInOneSecond: 0, maxConcurrent: 1, concurrent: 1 });
  recorder.leave(third, 200);
  expect(recorder.statistics().concurrent).toBe(0);
});
