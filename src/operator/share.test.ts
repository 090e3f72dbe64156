import { describe, expect, it, vi } from 'vitest';
import { shareOf } from './share.ts';
import type { Share } from './share.ts';

const LIMITS = { running: { all: 2, each: 1 }, waiting: { all: 3, each: 2 }, waitMs: 60_000 };
const staying = new AbortController().signal;

/** Work that ends when it is told to, in the order in which it began. */
function workIn(share: Share) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (operator: number, name: string, signal = staying): Promise<void> =>
    share.run(operator, signal, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    // The next piece of work begins in a turn of the event loop of its own.
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  };
  return { began, run, end };
}

describe('a share', () => {
  it('lets operators take turns, whoever has sent more', async () => {
    const { began, run, end } = workIn(shareOf({ ...LIMITS, running: { all: 1, each: 1 } }));
    const all = [run(1, 'a1'), run(1, 'a2'), run(1, 'a3'), run(2, 'b1')];
    await end('a1');
    await end('b1');
    await end('a2');
    await end('a3');
    expect(began).toEqual(['a1', 'b1', 'a2', 'a3']);
    await Promise.all(all);
  });

  it('runs no second piece of work of an operator while another operator has room', async () => {
    const { began, run, end } = workIn(shareOf(LIMITS));
    const all = [run(1, 'a1'), run(1, 'a2'), run(2, 'b1')];
    await new Promise(setImmediate);
    expect(began).toEqual(['a1', 'b1']);
    await end('a1');
    await end('a2');
    await end('b1');
    await Promise.all(all);
  });

  it('runs one piece of work at a time while the process is busy', async () => {
    let busy = true;
    const { began, run, end } = workIn(shareOf({ ...LIMITS, isBusy: () => busy }));
    const all = [run(1, 'a'), run(2, 'b'), run(3, 'c')];
    await new Promise(setImmediate);
    expect(began).toEqual(['a']);
    await end('a');
    expect(began).toEqual(['a', 'b']);
    busy = false;
    all.push(run(4, 'd'));
    await new Promise(setImmediate);
    expect(began).toEqual(['a', 'b', 'c']);
    for (const name of ['b', 'c', 'd']) await end(name);
    await Promise.all(all);
  });

  it('refuses beyond its bounds with the time to wait, and goes on after work that failed', async () => {
    const share = shareOf(LIMITS);
    const { run, end } = workIn(share);
    const all = [run(1, 'a1'), run(1, 'a2'), run(1, 'a3')];
    await expect(run(1, 'a4')).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    all.push(run(2, 'b1'), run(2, 'b2'));
    await expect(run(3, 'c1')).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
    await Promise.all(all);
    await expect(share.run(1, staying, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(share.run(1, staying, () => Promise.resolve('yes'))).resolves.toBe('yes');
  });

  it('forgets work whose client has left, or that waited too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { began, run, end } = workIn(shareOf(LIMITS));
      const first = run(1, 'a1');
      const leaving = new AbortController();
      const second = run(1, 'a2', leaving.signal);
      const third = run(1, 'a3');
      leaving.abort();
      await expect(run(1, 'a4', leaving.signal)).rejects.toMatchObject({ status: 503 });
      await expect(second).rejects.toMatchObject({ status: 503 });
      vi.advanceTimersByTime(LIMITS.waitMs);
      await expect(third).rejects.toMatchObject({ status: 503 });
      await end('a1');
      await first;
      expect(began).toEqual(['a1']);
    } finally {
      vi.useRealTimers();
    }
  });
});
