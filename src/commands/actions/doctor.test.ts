import { describe, expect, test } from 'vitest';
import { SECOND } from '../../core/instant.ts';
import { readSettings } from '../../settings.ts';
import type { SourceLine } from '../../source/report.ts';
import { clockCheck, diagnose, nodeCheck, unwellCheck } from './doctor-checks.ts';
import { deliveryChecks } from './doctor-deliveries.ts';
import { settingsInForce } from './doctor-settings.ts';

describe('settings in force', () => {
  const shown = (environment: Record<string, string>): Record<string, string> =>
    Object.fromEntries(settingsInForce(environment).map(({ name, value }) => [name, value]));

  test('secrets are hidden in every notation', () => {
    const settings = {
      DATABASE_URL: 'postgres://bridge:geheim@db.example/x?sslmode=require&password=geheim',
      REDIS_URL: 'redis://:geheim@one.example,rediss://u:geheim@two.example:1',
      DATABRIDGE_KEY: 'geheim',
      DATABRIDGE_EGRESS_PROXY: 'http://bridge:geheim@proxy.example:3128',
    };
    expect(JSON.stringify(shown(settings))).not.toContain('geheim');
    expect(shown(settings)['DATABASE_URL']).toBe('postgres://bridge:***@db.example/x?sslmode=require&password=***');
    expect(shown(settings)['REDIS_URL']).toBe('redis://:***@one.example,rediss://u:***@two.example:1');
    expect(shown(settings)['DATABRIDGE_EGRESS_PROXY']).toBe('http://bridge:***@proxy.example:3128');
    const several = 'postgres://bridge:ge,heim@one:5432,two:5433/x?target_session_attrs=read-write';
    expect(shown({ DATABASE_URL: several })['DATABASE_URL']).toBe(several.replace('ge,heim', '***'));
    const watched = 'redis+sentinel://:${file:/run/secrets/x}@one,two:26379/plant';
    expect(shown({ REDIS_URL: watched })['REDIS_URL']).toBe('redis+sentinel://:***@one,two:26379/plant');
    expect(shown({ DATABASE_URL: 'postgres://bridge:ge/heim@one,two/x' })['DATABASE_URL']).toBe('(secret)');
    expect(shown({ DATABRIDGE_OIDC_CLIENT_SECRET: 'geheim' })['DATABRIDGE_OIDC_CLIENT_SECRET']).toBe('(secret)');
    expect(shown({ DATABASE_URL: 'host=db password=geheim' })['DATABASE_URL']).toBe('(secret)');
  });

  test('a setting that is not set shows its default', () => {
    expect(shown({ DATABRIDGE_POLLS: '' })).toMatchObject({ DATABRIDGE_POLLS: '100', DATABASE_URL: '(not set)' });
    expect(settingsInForce({ DATABRIDGE_POLLS: '7' })).toContainEqual({
      name: 'DATABRIDGE_POLLS',
      value: '7',
      from: 'environment',
    });
  });
});

describe('sources', () => {
  const line = {
    name: 'hall',
    organisation: 'default',
    state: 'active',
    every: 1,
    streams: 1,
    lag: 1,
    overdue: 0,
    condition: 'well',
  } as const;
  const source = (more: Partial<SourceLine> = {}): SourceLine =>
    ({ ...line, failures: 0, fault: null, lookFault: null, allRefused: null, lastSuccessAt: 1, ...more }) as SourceLine;
  const trouble = { source: 'hall', organisation: 'default' } as Parameters<typeof unwellCheck>[1][number];

  test('that are late or never had a poll that succeeded are not called well, and trouble is told once', () => {
    expect(unwellCheck([source(), source({ state: 'paused', condition: 'paused', overdue: 1e9 })], [])).toBeUndefined();
    const check = unwellCheck(
      [
        source({ condition: 'starting', lastSuccessAt: null }),
        source({ name: 'pit', condition: 'behind', overdue: 1e9 }),
      ],
      [],
    );
    expect(check).toMatchObject({
      state: 'warning',
      detail: '2 active sources not well: hall (starting), pit (behind)',
    });
    expect(unwellCheck([source({ condition: 'starting', lastSuccessAt: null })], [trouble])).toBeUndefined();
  });
});

describe('deliveries', () => {
  const line = {
    organisation: 'default',
    project: 'hall',
    ingestion: 'push',
    url: 'http://there',
    remoteOrganisation: 'default',
    remoteProject: 'hall',
    applicationId: 'app',
    state: 'active',
    waiting: 7,
    mostWaiting: 10,
    oldestAt: null,
    fullSince: null,
    heldUntil: null,
    lastDeliveryAt: null,
    delivered24h: 0,
    refused24h: 0,
    fault: null,
  } as const;
  const fault = { code: 'unreachable', message: 'no answer', at: '2026-11-21T00:00:00Z' };
  const statesOf = (...lines: Parameters<typeof deliveryChecks>[0]): string[] =>
    [...deliveryChecks(lines, { now: 1, oldest: 1 })].map(({ state }) => state);

  test('fail where an operator has to act, warn while they wait, and are left out where no project is pushed', () => {
    expect(statesOf({ ...line, ingestion: 'store' })).toEqual([]);
    expect(statesOf(line, line)).toEqual(['ok']);
    expect(statesOf(line, { ...line, fault })).toEqual(['warning']);
    expect(statesOf({ ...line, fault, state: 'stopped' })).toEqual(['failed']);
    expect(statesOf({ ...line, fault, fullSince: 0 })).toEqual(['failed']);
  });
});

describe('checks', () => {
  test('clocks may differ by two seconds, either way', () => {
    expect([-2, 2].map((seconds) => clockCheck(seconds * SECOND).state)).toEqual(['ok', 'ok']);
    expect(clockCheck(-90 * SECOND).detail).toBe("the database's clock is 1m30s behind this host's");
    expect(clockCheck(3 * SECOND).detail).toBe("the database's clock is 3s ahead of this host's");
  });

  test('a Node.js that is too old fails', () => {
    expect(nodeCheck('22.9.0').state).toBe('failed');
    expect(nodeCheck('24.0.0').state).toBe('ok');
  });
});

test.each([
  [{}, 0],
  [{ DATABRIDGE_API_ALLOW_PLAIN: 'true' }, 1],
  [{ DATABRIDGE_API_ALLOW_PLAIN: 'true', DATABRIDGE_API_TRUST_PROXY: '192.0.2.1' }, 0],
])('with the settings %j a proxy that is not named gives %i warnings', async (environment, expected) => {
  const found: string[] = [];
  const settings = readSettings({ DATABRIDGE_HOME: '/nowhere/bridge', ...environment });
  for await (const { check, state } of diagnose(settings)) if (check === 'api') found.push(state);
  expect(found).toEqual(Array(expected).fill('warning'));
});
