import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { PATH, curl, expectProblem, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

// Answers to requests that programs of customers really send.

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases);
});

afterAll(async () => {
  await api.close();
});

const DATE = '2026-11-20T08:15:30Z';

/** The whole answer to a request that is sent as it is. */
function sent(text: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
    // The API closes a connection whose request it does not read to its end; that may come as an error after the answer.
    socket.on('close', () => resolve(answer)).on('error', () => undefined);
  });
}

describe('a reading', () => {
  it('whose optional fields are null is taken as without them', async () => {
    const answer = await api.push([
      { sensorId: 'nulls', date: DATE, value: 1, valueName: null, precision: null, labels: null },
      { sensorId: 'nulls', date: DATE, value: 1 },
    ]);
    expect(answer).toMatchObject({ status: 200, json: { accepted: 1, duplicates: 1, refusedCount: 0 } });
  });

  it('may have its date in the basic form of ISO 8601', async () => {
    const dates = ['20261120T081530Z', '20261120T0815Z', '20261120T091530.25+0100', '20261120T081531'];
    const answer = await api.push(dates.map((date, index) => ({ sensorId: `basic-${index}`, date, value: 1 })));
    expect(answer).toMatchObject({ status: 200, json: { accepted: 4, refused: [] } });
    const stored = (await readingsIn(api.database)).filter((line) => line.includes('basic-'));
    expect(stored).toHaveLength(4);
    const again = ['2026-11-20T08:15:30Z', '2026-11-20T08:15:00Z', '2026-11-20T08:15:30.25Z', '2026-11-20T08:15:31Z'];
    const same = await api.push(again.map((date, index) => ({ sensorId: `basic-${index}`, date, value: 1 })));
    expect(same).toMatchObject({ status: 200, json: { accepted: 0, duplicates: 4 } });
    const bad = await api.push(['20261120', '20261320T081530Z'].map((date) => ({ sensorId: 'a', date, value: 1 })));
    expect(bad).toMatchObject({ json: { refused: [{ reason: 'date-without-time' }, { reason: 'bad-instant' }] } });
  });

  it.each([[{}], [{ date: null }]])('without a date is refused for that: %j', async (given) => {
    const answer = await api.push([{ sensorId: 'a', value: 1, ...given }]);
    expect(answer).toMatchObject({ status: 422, json: { refused: [{ pointer: '/0/date', reason: 'no-date' }] } });
  });

  it('is refused in words for its sender, which has no source and no command', async () => {
    const { json } = await api.push([
      { sensorId: 'a', date: DATE, value: null },
      { sensorId: 'a', date: DATE, value: true },
      { sensorId: 'a', date: '2255-01-01T00:00:00Z', value: 1 },
      { sensorId: 'a', date: DATE, value: 1 },
      { sensorId: 'a', date: DATE, value: 2 },
    ]);
    const { refused } = json as { refused: { reason: string; message: string }[] };
    expect(refused.map(({ reason }) => reason)).toEqual(['null', 'boolean', 'in-the-future', 'same-instant']);
    for (const { message } of refused) expect(message).not.toMatch(/platform|source|databridge|answer/);
  });
});

describe('a request', () => {
  test('for a token that is too large is not told to send readings', async () => {
    const answer = await curl('-d', `x=${'x'.repeat(20_000)}`, `${api.url}/v0/oauth2/token`);
    expect(answer).toMatchObject({ status: 413, json: { error: 'invalid_request' } });
    expect(answer.body).not.toContain('reading');
  });

  test('with oversized headers is answered 431', async () => {
    const answer = await sent(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer).toContain('"/docs/problems/headers-too-large"');
  });

  test.each([['/healthz'], [PATH], ['/v0/oauth2/token'], ['/nowhere']])(
    'with two Host headers is answered 400: %s',
    async (path) => {
      const answer = await sent(`GET ${path} HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    },
  );
});

test('the reference can be switched off', async () => {
  expect(await curl(`${api.url}/openapi.json`)).toMatchObject({ status: 200 });
  const closed = await startApi(databases, { DATABRIDGE_API_DOCS: 'false' });
  try {
    for (const path of ['/docs', '/docs/static/index.html', '/openapi.json']) {
      expectProblem(await curl(closed.url + path), 404, 'not-found');
    }
    expect((await curl(`${closed.url}/nowhere`)).body).not.toContain('/docs');
    expect(await closed.push([{ sensorId: 'a', date: DATE, value: 1 }])).toMatchObject({ status: 200 });
  } finally {
    await closed.close();
  }
});
