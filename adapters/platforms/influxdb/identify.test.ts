import { describe, expect, test } from 'vitest';
import type { Sensor } from '../../../src/platform/contract.ts';
import { cannedHttp, text } from '../../../test/kit/canned-influxdb.ts';
import type { Canned } from '../../../test/kit/canned-influxdb.ts';
import { sensors } from './discovery.ts';
import { identify } from './identify.ts';
import { influxOptions } from './options.ts';

const ping = (version: string, date = 'Sat, 21 Nov 2026 01:36:24 GMT'): Canned => ({
  status: 204,
  headers: { 'x-influxdb-version': version, date },
  pieces: [],
});

const names = (statement: number, ...values: readonly unknown[][]): string =>
  `${JSON.stringify({ results: [{ statement_id: statement, series: [{ columns: ['name'], values }] }] })}\n`;

const policies = names(0, ['autogen', '0s', '168h0m0s', 1, true], ['year', '8760h0m0s', '168h0m0s', 1, false]);

const ask = async (answers: readonly Canned[], given: object = {}) =>
  await identify(cannedHttp(...answers).http, influxOptions.parse({ database: 'plant', ...given }));

describe('identify', () => {
  test.each([
    ['1.6.7~rc0', 'InfluxDB 1.6.7'],
    ['1.8.10', 'InfluxDB 1.8.10'],
    ['1.9.6-c1.9.6', 'InfluxDB 1.9.6'],
  ])('%s', async (version, product) => {
    const found = await ask([ping(version), text(policies + names(1, ['pump']))]);
    expect(found).toEqual({ product, clock: 1_795_224_984_000_000 });
  });

  test('gives no clock where the date cannot be parsed', async () => {
    expect(await ask([ping('1.8.10', 'soon'), text(policies + names(1))])).toEqual({ product: 'InfluxDB 1.8.10' });
  });

  test('refuses a page of another server', async () => {
    const page = { status: 200, ...text('<html>Sign in</html>') };
    await expect(ask([page])).rejects.toMatchObject({
      fault: { code: 'contract-broken', page: '<html>Sign in</html>' },
      message: expect.stringContaining('this is not InfluxDB 1.x') as unknown,
    });
  });

  test.each(['v2.7.1', '3.0.1', 'relay'])('%s is another product', async (version) => {
    await expect(ask([ping(version)])).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('this is not InfluxDB 1.x') as unknown,
    });
  });

  test('refuses a policy that the database does not have', async () => {
    const answers = [ping('1.8.10'), text(policies + names(1))];
    await expect(ask(answers, { retentionPolicy: 'month' })).rejects.toMatchObject({
      fault: { code: 'config-invalid', path: 'options.retentionPolicy' },
      remedy: expect.stringContaining('autogen, year') as unknown,
    });
  });

  test('accepts a policy that the database has', async () => {
    await expect(ask([ping('1.8.10'), text(policies + names(1))], { retentionPolicy: 'year' })).resolves.toBeDefined();
  });

  test('refuses a database that does not exist', async () => {
    const answers = [ping('1.8.10'), text('{"results":[{"statement_id":0,"error":"database not found: plant"}]}\n')];
    await expect(ask(answers)).rejects.toMatchObject({ fault: { code: 'config-invalid', path: 'options.database' } });
  });
});

describe('discovery', () => {
  const fieldKeys =
    '{"results":[{"statement_id":1,"series":[{"name":"pump","columns":["fieldKey","fieldType"],"values":[["speed","float"],["state","string"]]}]}]}\n';
  const series = names(2, ['pump,firmware=1,hall=3'], ['pump,firmware=2,hall=3'], ['pump']);
  const discover = async (given: object, body = policies + fieldKeys + series) => {
    const { http, asked } = cannedHttp(text(body));
    const found: Sensor[] = [];
    for await (const sensor of sensors(http, influxOptions.parse({ database: 'plant', ...given }))) found.push(sensor);
    return { found, asked };
  };

  test('finds one sensor for each series, with the fields of its measurement', async () => {
    const { found, asked } = await discover({});
    const variables = ['speed', 'state'];
    expect(found).toEqual([
      { id: 'pump,firmware=1,hall=3', group: 'pump', variables },
      { id: 'pump,firmware=2,hall=3', group: 'pump', variables },
      { id: 'pump', group: 'pump', variables },
    ]);
    expect(asked).toHaveLength(1);
  });

  test('makes one sensor of series that differ only in an ignored tag', async () => {
    const { found } = await discover({ ignoreTags: ['firmware'], skipStringFields: true });
    expect(found).toEqual([
      { id: 'pump,hall=3', group: 'pump', variables: ['speed'] },
      { id: 'pump', group: 'pump', variables: ['speed'] },
    ]);
  });

  test('asks only for the measurements of the options', async () => {
    const { asked } = await discover({ measurements: ['pump', 'fan'] });
    expect(asked[0]?.get('q')).toBe(
      'SHOW RETENTION POLICIES ON "plant"; SHOW FIELD KEYS ON "plant" FROM "pump", "fan"; SHOW SERIES ON "plant" FROM "pump", "fan"',
    );
  });

  test('finds no sensors in an empty database', async () => {
    const { found } = await discover(
      {},
      `${policies}{"results":[{"statement_id":1}]}\n{"results":[{"statement_id":2}]}\n`,
    );
    expect(found).toEqual([]);
  });

  test('does not take a missing policy for an empty database', async () => {
    const empty = `${policies}{"results":[{"statement_id":1}]}\n{"results":[{"statement_id":2}]}\n`;
    await expect(discover({ retentionPolicy: 'month' }, empty)).rejects.toMatchObject({ code: 'config-invalid' });
  });
});
