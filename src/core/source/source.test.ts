import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../instant.ts';
import { good, exampleKinds, now, examplePlatforms, told } from '../../../test/kit/source-example.ts';
import { parseSource, startOf } from './source.ts';

describe('a good source', () => {
  it('gets its defaults from the platform, with durations in µs', () => {
    const parsed = parseSource(good, examplePlatforms, { kinds: exampleKinds });
    expect(parsed).toMatchObject({
      ok: true,
      platform: examplePlatforms[0],
      source: {
        organisation: 'default',
        tls: {},
        options: { database: 'plant', epoch: 'us' },
        schedule: {
          every: 10 * SECOND,
          start: { before: 0 },
          settle: 10 * SECOND,
          overlap: MINUTE,
          maxWindow: DAY,
          align: SECOND,
          catchUp: 'newest',
        },
        pace: { requestsPerSecond: 5, burst: 10, concurrency: 2, quietHours: [] },
        sensors: 'all',
        mapping: { booleans: 'refuse', bad: 'refuse', labels: [], dst: 'earlier' },
        secrets: ['connection.password'],
      },
    });
    expect(parsed.ok && parsed.source.raw).toBe(good);
  });

  it('prefers the values of the operator to the defaults', () => {
    const schedule = { every: '500ms', settle: '0s', overlap: '5s', maxWindow: 'PT1H', start: '7d', catchUp: 'oldest' };
    const pace = { requestsPerSecond: 0.5, burst: 1, concurrency: 1 };
    const parsed = parseSource({ ...good, schedule, pace }, examplePlatforms, { kinds: exampleKinds });
    expect(parsed.ok && parsed.source.schedule).toStrictEqual({
      every: SECOND / 2,
      settle: 0,
      overlap: 5 * SECOND,
      maxWindow: HOUR,
      start: { before: 7 * DAY },
      align: SECOND / 2,
      catchUp: 'oldest',
    });
    expect(parsed.ok && parsed.source.pace).toStrictEqual({ ...pace, quietHours: [] });
  });

  it('begins at an instant, or at a duration before its registration', () => {
    expect(startOf({ at: 5 }, now)).toBe(5);
    expect(startOf({ before: DAY }, now)).toBe(now - DAY);
  });

  it('may not begin after its registration, but a stored one is parsed without that check', () => {
    const later = { ...good, schedule: { every: '10s', start: '2026-12-01T00:00:00Z' } };
    expect(parseSource(later, examplePlatforms, { kinds: exampleKinds }).ok).toBe(true);
    expect(told({ schedule: later.schedule })).toStrictEqual([
      'schedule.start: 2026-12-01T00:00:00Z is in the future; use an instant that has passed, or leave it out to begin now',
    ]);
  });
});
