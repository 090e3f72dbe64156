import { describe, expect, test } from 'vitest';
import { SECOND } from '../core/instant.ts';
import type { Pace } from '../core/pace.ts';
import { localPacer } from './local-pacer.ts';

const fast: Pace = { requestsPerSecond: 1_000, burst: 5, concurrency: 1, quietHours: [] };
const now = (): number => Date.now() * 1_000;
const never = new AbortController().signal;

describe('slots of one process', () => {
  test('are at most the concurrency of the source at a time: a request waits until another slot is released', async () => {
    const pacer = localPacer({ pace: fast, now });
    const first = await pacer.slot('live', never);
    const order: string[] = [];
    const second = pacer.slot('live', never).then((slot) => {
      order.push('second');
      return slot;
    });
    // A pacer that did not wait would hand out the second slot within these turns of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    order.push('first released');
    await first.release();
    await (await second).release();
    expect(order).toEqual(['first released', 'second']);
  });

  test('keep the distance of the pace', async () => {
    let clock = 1_000 * SECOND;
    const pacer = localPacer({ pace: { ...fast, requestsPerSecond: 50, burst: 1 }, now: () => (clock += 1) });
    const begun = performance.now();
    for (let request = 0; request < 3; request += 1) await (await pacer.slot('live', never)).release();
    // Three requests are two distances of 20.4 ms apart; a slow machine only makes it longer.
    expect(performance.now() - begun).toBeGreaterThanOrEqual(39);
  });

  test('are refused at once during a long silence and during quiet hours', async () => {
    const pacer = localPacer({ pace: fast, now });
    await pacer.hold(now() + 60 * SECOND);
    await expect(pacer.slot('live', never)).rejects.toThrow(/the platform asked for silence/);
    const quiet = localPacer({
      pace: { ...fast, quietHours: [{ from: '00:00', to: '00:00', zone: 'UTC' }] },
      now,
    });
    await expect(quiet.slot('live', never)).rejects.toMatchObject({ fault: { code: 'throttled' } });
  });

  test('are released when a wait is aborted', async () => {
    const pacer = localPacer({ pace: fast, now });
    const held = await pacer.slot('live', never);
    const stopping = new AbortController();
    const waiting = pacer.slot('live', stopping.signal);
    stopping.abort();
    await expect(waiting).rejects.toMatchObject({ fault: { code: 'cancelled' } });
    await held.release();
    await (await pacer.slot('live', never)).release();
  });
});
