import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../instant.ts';
import { good, exampleKinds, now, examplePlatforms, told } from '../../../test/kit/source-example.ts';
import { formatProblem } from './problems.ts';
import { parseSource, startOf } from './source.ts';
import type { SourcePlatform } from './source.ts';

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
          lookBackAtMost: 30 * DAY,
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

  it('is parsed by the schema of its own platform and kind', () => {
    const { options: _, ...other } = { ...good, platform: 'thingsboard', kind: 'custom' };
    const parsed = parseSource({ ...other, connection: { url: 'https://h', key: 'k' } }, examplePlatforms, {
      kinds: exampleKinds,
    });
    expect(parsed).toMatchObject({ ok: true, platform: examplePlatforms[1], source: { options: {} } });
  });

  it('prefers the values of the operator to the defaults', () => {
    const schedule = {
      every: '500ms',
      settle: '0s',
      overlap: '5s',
      lookBackAtMost: '2d',
      maxWindow: 'PT1H',
      start: '7d',
      catchUp: 'oldest',
    };
    const pace = { requestsPerSecond: 0.5, burst: 1, concurrency: 1 };
    const parsed = parseSource({ ...good, schedule, pace }, examplePlatforms, { kinds: exampleKinds });
    expect(parsed.ok && parsed.source.schedule).toStrictEqual({
      every: SECOND / 2,
      settle: 0,
      overlap: 5 * SECOND,
      lookBackAtMost: 2 * DAY,
      maxWindow: HOUR,
      start: { before: 7 * DAY },
      align: SECOND / 2,
      catchUp: 'oldest',
    });
    expect(parsed.ok && parsed.source.pace).toStrictEqual({ ...pace, longestSilence: HOUR, quietHours: [] });
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

describe('the zone of local times', () => {
  const [influxdb] = examplePlatforms;
  const wallClock = { ...influxdb, facts: { ...influxdb.facts, localTime: true as const } };
  const problems = (platform: SourcePlatform, mapping: unknown, registering = true): readonly string[] => {
    const parsed = parseSource({ ...good, mapping }, [platform], {
      kinds: exampleKinds,
      ...(registering ? { now } : {}),
    });
    return parsed.ok ? [] : parsed.problems.map(formatProblem);
  };

  it('is asked for where the platform gives local times', () => {
    const missing =
      'mapping.timezone: is missing: InfluxDB 1.x gives local times without a zone; add the zone of its wall clock, like timezone: Europe/Berlin';
    expect(problems(wallClock, {})).toEqual([missing]);
    expect(problems(wallClock, { dst: 'later' }, false)).toEqual([missing]);
    expect(problems(wallClock, { timezone: 'Europe/Berlin', dst: 'later' })).toEqual([]);
  });

  it('is refused where it would have no effect, at registration only', () => {
    const given = { timezone: 'Europe/Berlin', dst: 'earlier' };
    expect(problems(influxdb, given)).toEqual([
      'mapping.timezone: has no effect: InfluxDB 1.x gives instants, not local times; take it out',
      'mapping.dst: has no effect: InfluxDB 1.x gives instants, not local times; take it out',
    ]);
    expect(problems(influxdb, given, false)).toEqual([]);
  });
});
