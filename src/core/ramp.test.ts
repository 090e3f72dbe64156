import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND } from './instant.ts';
import { NO_RAMP, RAMP_STEP, climb, descend } from './ramp.ts';
import type { Ramp } from './ramp.ts';

const few = { step: RAMP_STEP.request, own: 1 };

/** How many of `due` requests leave in each second, where all that wait ask again at once. */
function seconds(due: number, given: typeof few, length = SECOND): number[] {
  let ramp: Ramp = NO_RAMP;
  let now = 1_000 * SECOND;
  const sent: number[] = [];
  for (let left = due; left > 0;) {
    const answer = climb(ramp, now, given);
    if (answer.kind === 'wait') {
      now = answer.askAgainAt;
      continue;
    }
    ramp = answer.ramp;
    const index = Math.floor((now - 1_000 * SECOND) / length);
    sent[index] = (sent[index] ?? 0) + 1;
    left -= 1;
  }
  return sent;
}

describe('the requests to a host without a pace', () => {
  it('grow by a step from second to second, and 10,000 leave within 23 s', () => {
    const sent = seconds(10_000, few);
    expect(sent.slice(0, 4)).toEqual([40, 80, 120, 160]);
    expect(sent.length).toBeLessThan(24);
  });

  it('are held back by nothing but the pace where they are those of one source', () => {
    expect(seconds(100, { ...few, own: 100 })).toEqual([100]);
  });

  it('leave evenly in their second', () => {
    const tenths = seconds(120, few, SECOND / 10);
    expect(tenths).toEqual([...Array<number>(10).fill(4), ...Array<number>(10).fill(8)]);
  });

  it('make room for those that belong to something begun', () => {
    // Each look asks three requests, the second and third at once after the one before.
    let ramp: Ramp = NO_RAMP;
    const sent: number[] = [];
    for (let now = 1_000 * SECOND; now < 1_010 * SECOND; now += SECOND / 1_000) {
      const first = climb(ramp, now, few);
      if (first.kind === 'wait') continue;
      ramp = first.ramp;
      for (let more = 0; more < 2; more += 1) {
        const answer = climb(ramp, now, { ...few, begun: true });
        expect(answer.kind).toBe('go');
        if (answer.kind === 'go') ramp = answer.ramp;
      }
      const second = Math.floor(now / SECOND) - 1_000;
      sent[second] = (sent[second] ?? 0) + 3;
    }
    expect(sent.every((count, second) => count <= 40 * (second + 1) + 2)).toBe(true);
    expect(sent.at(-1)).toBeGreaterThan(380);
  });

  it('count no request that was not sent', () => {
    const full = { second: 1_000, sent: 40, before: 0 };
    const last = 1_001 * SECOND - 1;
    expect(climb(full, last, few).kind).toBe('wait');
    expect(climb(descend(full, last), last, few).kind).toBe('go');
    expect(descend({ second: 1_001, sent: 3, before: 40 }, last)).toEqual({ second: 1_001, sent: 3, before: 39 });
    expect(descend({ second: 1_005, sent: 3, before: 40 }, last)).toEqual({ second: 1_005, sent: 3, before: 40 });
  });

  it('never grow faster, whenever they are asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2, max: 3 * SECOND }), { maxLength: 300 }), (pauses) => {
        let ramp: Ramp = NO_RAMP;
        let now = 1_000 * SECOND;
        const sent = new Map<number, number>();
        for (const pause of pauses) {
          now += pause > SECOND ? pause : Math.max(0, pause % 20_000);
          const answer = climb(ramp, now, { step: 3, own: 0 });
          if (answer.kind === 'wait') {
            expect(answer.askAgainAt).toBeGreaterThan(now);
            continue;
          }
          ramp = answer.ramp;
          const second = Math.floor(now / SECOND);
          sent.set(second, (sent.get(second) ?? 0) + 1);
          expect(sent.get(second)).toBeLessThanOrEqual((sent.get(second - 1) ?? 0) + 3);
        }
      }),
    );
  });

  it('begin anew after a pause, and after a clock that was set back', () => {
    const busy = { second: 1_000, sent: 500, before: 500 };
    expect(climb(busy, 1_001 * SECOND, few)).toMatchObject({ ramp: { before: 500 } });
    expect(climb(busy, 1_002 * SECOND, few)).toMatchObject({ ramp: { before: 0 } });
    expect(climb(busy, 900 * SECOND, few)).toMatchObject({ ramp: { before: 0, sent: 1 } });
  });
});
