import { beforeEach, describe, expect, it } from 'vitest';
import { keepFresh } from './keep-fresh.ts';

let now = 0;
let loads = 0;

beforeEach(() => {
  now = 1_000;
  loads = 0;
});

const counting = (): (() => Promise<number>) =>
  keepFresh(
    () => Promise.resolve(++loads),
    10,
    () => now,
  );

describe('a value kept fresh', () => {
  it('is loaded once for all calls at the same time, and again when it is too old', async () => {
    const get = counting();
    expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
    now += 9;
    expect(await get()).toBe(1);
    now += 1;
    expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  });

  it('is loaded again when the clock was set back', async () => {
    const get = counting();
    await get();
    now -= 500;
    expect(await get()).toBe(2);
  });

  it('has an age that counts from the begin of its load', async () => {
    const get = keepFresh(
      () => {
        now += 8;
        return Promise.resolve(++loads);
      },
      10,
      () => now,
    );
    expect(await get()).toBe(1);
    now += 2;
    expect(await get()).toBe(2);
  });

  it('is loaded again by the next call after a load that failed', async () => {
    const get = keepFresh(
      () => (++loads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(loads)),
      10,
      () => now,
    );
    const first = await Promise.allSettled([get(), get()]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await get()).toBe(2);
  });
});
