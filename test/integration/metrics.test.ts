import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractBroken } from '../../src/core/errors.ts';
import { DAY, HOUR, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import { poll } from '../../src/pull/poll.ts';
import { metricsOf } from '../../src/telemetry/metrics.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { pushAs, PATH, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';
import { eventually } from './daemon-rig.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest } from './operator-rig.ts';

const databases = useDatabases();
const metrics = metricsOf('1.2.3');
let api: ApiUnderTest;
let operators: OperatorApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases, {}, undefined, metrics.api);
  operators = await startOperatorApi(api.database, {}, undefined, metrics);
});

afterAll(async () => {
  await operators?.close();
  await api?.close();
});

const scrape = async (): Promise<string> => {
  const { status, text } = await operators.send('GET', '/metrics');
  expect(status).toBe(200);
  return text;
};

/** The sum of the samples of a metric whose labels hold these; undefined without one. */
function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

const count = async (of: string): Promise<number> =>
  (await api.database.row<{ count: number }>(`select count(*) from ${of}`))?.count ?? -1;

const reading = (second: number, value: unknown = second): unknown => ({
  sensorId: 'pump',
  date: `2026-03-01T08:15:${String(second).padStart(2, '0')}Z`,
  value,
});

describe('pushes', () => {
  it('are counted as the database holds them, and refused ones by their reason', async () => {
    expect((await api.push([reading(1), reading(2), reading(3, 'warm'), reading(4, null)])).status).toBe(200);
    expect((await api.push([reading(1), reading(2, 7)])).status).toBe(200);
    expect((await api.push('[')).status).toBe(400);
    const text = await scrape();
    expect(valueOf(text, 'databridge_pushed_readings_total', { result: 'new' })).toBe(await count('reading'));
    expect(valueOf(text, 'databridge_pushed_readings_total', { result: 'duplicate' })).toBe(1);
    expect(valueOf(text, 'databridge_pushed_readings_total', { result: 'revised' })).toBe(1);
    const refused = await api.database.rows<{ reason: string; refused: number }>(
      'select reason, sum(refused) as refused from refusal_count group by reason',
    );
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) {
      const labels = { reason: one.reason };
      expect(valueOf(text, 'databridge_pushed_refused_readings_total', labels)).toBe(one.refused);
    }
    expect(valueOf(text, 'databridge_api_problems_total', { problem: 'not-json' })).toBe(1);
    const route = { route: '/v0/organisations/:organisation_id/data/:ml_project', method: 'POST' };
    expect(valueOf(text, 'databridge_api_requests_total', { ...route, status: '200' })).toBe(2);
    expect(valueOf(text, 'databridge_api_requests_total', { ...route, status: '400' })).toBe(1);
    expect(valueOf(text, 'databridge_api_request_duration_seconds_count', { route: route.route })).toBe(3);
  });

  it('without a token are counted by the reason, and paths that do not exist as one route', async () => {
    const stranger = { ...api.client, token: 'nonsense' };
    expect((await pushAs(stranger, `${api.url}${PATH}`, [reading(5)])).status).toBe(401);
    for (const path of ['/one', '/two']) expect((await fetch(`${api.url}${path}`)).status).toBe(404);
    const text = await scrape();
    expect(valueOf(text, 'databridge_api_refused_authentications_total')).toBe(1);
    expect(valueOf(text, 'databridge_api_requests_total', { api: 'push', route: 'none', status: '404' })).toBe(2);
    expect(text).not.toContain('/one');
  });

  it('are counted in bytes as they travel', async () => {
    const received = async (): Promise<number> =>
      valueOf(await scrape(), 'databridge_api_received_bytes_total', { api: 'push' }) ?? 0;
    const before = await received();
    const body = JSON.stringify(Array.from({ length: 60 }, (_, second) => reading(second)));
    expect((await api.push(body)).status).toBe(200);
    const more = (await received()) - before;
    expect(more).toBeGreaterThan(body.length);
    expect(more).toBeLessThan(body.length + 2_000);
  });
});

describe('polls', () => {
  const now: Instant = (parseInstant('2026-03-01T00:00:00Z') ?? 0) + 12 * HOUR;

  it('are counted by lane and outcome, as the log of the windows has them', async () => {
    const database = await databases.create();
    const stored = await storeSource(database);
    await storeStream(database, stored);
    let broken = false;
    const opened = openSourceOf(stored, {
      policy: { start: now - HOUR, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY },
      read: ({ from }) => {
        if (broken) throw contractBroken('the answer has no end');
        const at = [from, from + SECOND, from + 2 * SECOND];
        return [{ sensor: 'fan', variable: 'speed', at, values: [1, 2, Number.NaN] }];
      },
    });
    const source = { ...opened, platform: { ...opened.platform, name: 'thingsboard' } };
    const run = async (at: Instant): Promise<void> => {
      const bridge = bridgeOf(database, { source, now: () => at, workerId: randomUUID() });
      await poll({ ...bridge, meters: metrics.pull }, stored.sourceId, new AbortController().signal);
    };
    await run(now);
    broken = true;
    await run(now + 10 * SECOND);
    const text = await scrape();
    const labels = { platform: 'thingsboard', lane: 'live' };
    const log = await database.row<{ windows: number; readings: number; refused: number }>(
      'select count(*) as windows, sum(readings) as readings, sum(refused) as refused from window_log',
    );
    expect(log).toEqual({ windows: 1, readings: 2, refused: 1 });
    expect(valueOf(text, 'databridge_windows_total', { ...labels, outcome: 'stored' })).toBe(log?.windows);
    expect(valueOf(text, 'databridge_windows_total', { ...labels, outcome: 'contract-broken' })).toBe(1);
    expect(valueOf(text, 'databridge_readings_total', { ...labels, result: 'new' })).toBe(log?.readings);
    expect(valueOf(text, 'databridge_refused_points_total', { platform: 'thingsboard' })).toBe(log?.refused);
    expect(valueOf(text, 'databridge_points_total', labels)).toBe(3);
    expect(valueOf(text, 'databridge_window_phase_seconds_total', { phase: 'store' })).toBeGreaterThan(0);
  });
});

describe('the text', () => {
  it('passes the check of Prometheus, which knows its conventions', async () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await scrape(),
      encoding: 'utf8',
    });
    // Names of prom-client itself.
    const told = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !/^(nodejs|process)_/.test(line));
    expect(told).toEqual([]);
    expect([0, 3]).toContain(status);
  });

  it('leaves the measures of the whole bridge out while the database does not tell them', async () => {
    const state = async (): Promise<boolean> => (await scrape()).includes('databridge_outbox_waiting_readings 0');
    expect(await state()).toBe(true);
    const { database } = api;
    let wake = (): void => undefined;
    const locked = Promise.withResolvers<void>();
    const held = database.transaction(async (client) => {
      await client.query('lock table remote in access exclusive mode');
      locked.resolve();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    });
    await locked.promise;
    await eventually('the measures are missing', async () => !(await state()));
    expect(await scrape()).toContain('databridge_state_up 0');
    wake();
    await held;
    await eventually('the measures are back', state);
  });
});

describe('without a token', () => {
  /** Sends a request with headers that `fetch` does not let through. */
  const status = (url: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(`${url}/metrics`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it('they are for programs on this host alone', async () => {
    expect(await status(operators.url)).toBe(200);
    expect(await status(operators.url, { host: 'localhost' })).toBe(200);
  });

  it.each([
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'localhost'],
    ['forwarded', 'for=127.0.0.1'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '127.0.0.1'],
    ['host', 'bridge.example'],
    ['host', '127.0.0.1.example'],
  ])('a request with %s: %s is refused', async (name, value) => {
    expect(await status(operators.url, { [name]: value })).toBe(401);
  });

  it.each([
    { DATABRIDGE_OPERATOR_HOST: '0.0.0.0', DATABRIDGE_OPERATOR_ALLOW_PLAIN: 'true' },
    { DATABRIDGE_OPERATOR_TRUST_PROXY: '127.0.0.1' },
    { DATABRIDGE_OPERATOR_URL: 'https://bridge.example' },
  ])('they are refused to everybody with %j', async (environment) => {
    const other = await startOperatorApi(api.database, environment);
    expect(await status(other.url.replace('0.0.0.0', '127.0.0.1'))).toBe(401);
    await other.close();
  });

  it('only an operator that sees all organisations gets them by a token', async () => {
    const headers = { via: '1.1 proxy' };
    const all = await operators.operator('all', 'viewer');
    const some = await operators.operator('some', 'admin', ['default']);
    expect((await operators.send('GET', '/metrics', { as: all, headers })).status).toBe(200);
    expect((await operators.send('GET', '/metrics', { as: some, headers })).status).toBe(403);
  });
});
