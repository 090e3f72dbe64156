import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeat } from './repeat.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('runs once an interval, the first time after one interval', async () => {
  let runs = 0;
  const loop = repeat(
    100,
    async () => {
      runs += 1;
    },
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(99);
  expect(runs).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(runs).toBe(3);
  await loop.stop();
});

it('never overlaps itself, because the interval begins when the work has ended', async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const loop = repeat(
    100,
    async () => {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 250));
      running -= 1;
    },
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(100 + 250 + 100 + 250);
  expect(runs).toBe(2);
  expect(most).toBe(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(runs).toBe(3);
  const stopped = loop.stop();
  await vi.advanceTimersByTimeAsync(250);
  await stopped;
});

it('goes on after a synchronous or asynchronous error', async () => {
  const heard: unknown[] = [];
  let runs = 0;
  const loop = repeat(
    100,
    () => {
      runs += 1;
      if (runs === 1) throw new Error('thrown');
      return Promise.reject(new Error('rejected'));
    },
    (error) => {
      heard.push((error as Error).message);
      throw error;
    },
  );
  await vi.advanceTimersByTimeAsync(300);
  expect(heard).toEqual(['thrown', 'rejected', 'rejected']);
  await loop.stop();
});

it('stop waits for the work under way, and no other follows', async () => {
  let runs = 0;
  let ended = 0;
  const loop = repeat(
    100,
    async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
      ended += 1;
    },
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(110);
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(10);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  await stopping;
  expect({ runs, ended }).toEqual({ runs: 1, ended: 1 });
});

it('stop before the first interval has ended prevents the work', async () => {
  let runs = 0;
  const loop = repeat(
    100,
    async () => {
      runs += 1;
    },
    () => undefined,
  );
  await loop.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(0);
});
