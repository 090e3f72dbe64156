import { describe, expect, test } from 'vitest';
import type { Samples, Selection } from '../../../src/platform/contract.ts';
import type { Window } from '../../../src/core/window.ts';
import { cannedHttp, text } from '../../../test/kit/canned-influxdb.ts';
import type { Canned } from '../../../test/kit/canned-influxdb.ts';
import { influxOptions } from './options.ts';
import type { InfluxOptions } from './options.ts';
import { read } from './read.ts';
import { rememberWidth } from './width.ts';

const selection = (group: string, sensors?: readonly string[]): Selection => ({ group, sensors, variables: undefined });

/** Options of an open source that has read the measurement before, so that no request asks for its fields alone. */
function optionsOf(given: object, measurement = 'm'): InfluxOptions {
  const options = influxOptions.parse({ database: 'plant', ...given });
  rememberWidth(options, measurement, { fields: new Map(), isSparse: true });
  return options;
}

async function samplesOf(
  answers: readonly Canned[],
  given: object,
  chosen: Selection,
  window: Window = { from: 0, to: 10 },
) {
  const { http, asked, streams } = cannedHttp(...answers);
  const samples: Samples[] = [];
  for await (const one of read(http, optionsOf(given, chosen.group), chosen, window)) samples.push(one);
  return { samples, asked, streams };
}

const fieldKeys = (...rows: readonly (readonly string[])[]): string =>
  `${JSON.stringify({ results: [{ statement_id: 0, series: [{ name: 'm', columns: ['fieldKey', 'fieldType'], values: rows }] }] })}\n`;

const points = (columns: readonly string[], values: string, tags: object = {}): string =>
  `{"results":[{"statement_id":1,"series":[{"name":"m","tags":${JSON.stringify(tags)},"columns":${JSON.stringify(['time', ...columns])},"values":${values}}]}]}\n`;

describe('values', () => {
  test('only an integer that a double cannot hold comes as bigint', async () => {
    const rows = '[[1,9007199254740993,1152921504606847000],[2,-9007199254740991,0.5],[3,null,1e300]]';
    const body = fieldKeys(['i', 'integer'], ['f', 'float']) + points(['i', 'f'], rows);
    const { samples } = await samplesOf([text(body)], {}, selection('m'));
    expect(samples.map(({ values }) => values)).toEqual([
      [9_007_199_254_740_993n, -9_007_199_254_740_991],
      [1_152_921_504_606_847_000, 0.5, 1e300],
    ]);
  });

  test('a field that is too new to be listed counts as an integer', async () => {
    const { samples } = await samplesOf(
      [text(fieldKeys() + points(['new'], '[[1,9007199254740993]]'))],
      {},
      selection('m'),
    );
    expect(samples).toMatchObject([{ values: [9_007_199_254_740_993n] }]);
  });

  test('texts and booleans come unchanged, for the bridge to refuse', async () => {
    const body = fieldKeys(['s', 'string'], ['b', 'boolean']) + points(['s', 'b'], '[[1,"1.5",null],[2,null,false]]');
    const { samples } = await samplesOf([text(body)], {}, selection('m'));
    expect(samples).toEqual([
      { sensor: 'm', variable: 's', at: [1], values: ['1.5'] },
      { sensor: 'm', variable: 'b', at: [2], values: [false] },
    ]);
  });

  test('texts are left out with skipStringFields', async () => {
    const body = fieldKeys(['s', 'string'], ['f', 'float']) + points(['s', 'f'], '[[1,"1.5",2.5]]');
    const { samples } = await samplesOf([text(body)], { skipStringFields: true }, selection('m'));
    expect(samples.map(({ variable }) => variable)).toEqual(['f']);
  });

  test('texts of a field that also has numbers are left out without a second request', async () => {
    const body = fieldKeys(['f', 'string'], ['f', 'float']) + points(['f'], '[[1,"1.5"]]');
    const { samples, asked } = await samplesOf([text(body)], { skipStringFields: true }, selection('m'));
    expect([samples, asked.length]).toEqual([[], 1]);
  });

  test.each([
    ['a time that is text', '[["2026-01-01T00:00:00Z",1]]'],
    ['a time in nanoseconds', '[[1767225600000000001,1]]'],
    ['a row that is too short', '[[1]]'],
    ['a row that is too long', '[[1,2,3]]'],
  ])('%s is contract-broken', async (_what, rows) => {
    const reading = samplesOf([text(fieldKeys(['f', 'float']) + points(['f'], rows))], {}, selection('m'));
    await expect(reading).rejects.toMatchObject({ code: 'contract-broken' });
  });
});

describe('sensors', () => {
  const answer = (statement: string, hall: string): string =>
    fieldKeys(['f', 'float']) + points(['f'], '[[1,2]]', { hall, line: statement });

  test('only the chosen ones are yielded, although the answer holds more', async () => {
    const { samples, asked } = await samplesOf([text(answer('', '3'))], {}, selection('m', ['m,hall=4']));
    expect(samples).toEqual([]);
    expect(asked[0]?.get('q')).toContain(`("hall"::tag = '4')`);
  });

  test('are asked for five thousand at a time', async () => {
    const chosen = Array.from({ length: 12_000 }, (_, index) => `m,hall=${index}`);
    const { samples, asked } = await samplesOf(
      [0, 5_000, 11_999].map((hall) => text(answer('', `${hall}`))),
      {},
      selection('m', chosen),
    );
    expect(samples.map(({ sensor }) => sensor)).toEqual(['m,hall=0', 'm,hall=5000', 'm,hall=11999']);
    const patterns = asked.map((form) =>
      /"hall"::tag =~ \/\^\(\?:(.*)\)\$\//.exec(form.get('q') ?? '')?.[1]?.split('|'),
    );
    expect(patterns.map((values) => [values?.[0], values?.length])).toEqual([
      ['0', 5_000],
      ['5000', 5_000],
      ['10000', 2_000],
    ]);
  });

  test('of another measurement are config-invalid, not an empty window', async () => {
    const reading = samplesOf([], {}, selection('m', ['n,hall=4']));
    await expect(reading).rejects.toMatchObject({ fault: { code: 'config-invalid', path: 'sensors' } });
  });

  test('tags that are not in the name become labels', async () => {
    const { samples } = await samplesOf([text(answer('a', '3'))], { sensorTag: 'hall' }, selection('m', ['3']));
    expect(samples).toEqual([{ sensor: '3', variable: 'm.f', at: [1], values: [2], labels: ['line=a'] }]);
  });
});

test('a window is one POST with all parameters', async () => {
  const { asked } = await samplesOf(
    [text(fieldKeys() + '{"results":[{"statement_id":1}]}\n')],
    { chunkSize: 7 },
    selection('m'),
  );
  expect(asked.map((form) => Object.fromEntries(form))).toEqual([
    {
      db: 'plant',
      q: 'SHOW FIELD KEYS ON "plant" FROM "m"; SELECT * FROM "plant".."m" WHERE time >= 0 AND time < 10000 GROUP BY * ORDER BY time ASC',
      epoch: 'u',
      chunked: 'true',
      chunk_size: '7',
    },
  ]);
});

describe('a measurement of many fields', () => {
  const names = Array.from({ length: 250 }, (_, index) => `f${index}`);
  const keys = (fields: readonly string[]): string => fieldKeys(...fields.map((name) => [name, 'float']));
  const answerOf = (fields: readonly string[], columns: readonly string[], row: readonly (number | null)[]): Canned =>
    text(keys(fields) + points(columns, JSON.stringify([[1, ...row]])));
  const nothing = (fields: readonly string[]): Canned => text(`${keys(fields)}{"results":[{"statement_id":1}]}\n`);

  /** Reads one window with the options of an open source. */
  async function window(options: InfluxOptions, ...answers: readonly Canned[]) {
    const { http, asked } = cannedHttp(...answers);
    const samples: Samples[] = [];
    for await (const one of read(http, options, selection('m'), { from: 0, to: 10 })) samples.push(one);
    const columns = asked.map((form) => /SELECT (.*) FROM/.exec(form.get('q') ?? '')?.[1]?.split(', '));
    return { variables: samples.map(({ variable }) => variable), columns, asked };
  }

  test('is asked for a hundred at a time, and a field that appears meanwhile is asked for, too', async () => {
    const options = influxOptions.parse({ database: 'plant' });
    const more = [...names, 'late'];
    const part = (begin: number, end: number): string[] => names.slice(begin, end);
    const row = (length: number): (number | null)[] => [7, ...Array.from({ length: length - 1 }, () => null)];
    const { variables, columns } = await window(
      options,
      text(keys(names)),
      answerOf(names, part(0, 100), row(100)),
      answerOf(names, part(100, 200), row(100)),
      answerOf(more, part(200, 250), row(50)),
      answerOf(more, ['late'], [7]),
    );
    expect(variables).toEqual(['f0', 'f100', 'f200', 'late']);
    expect(columns.map((some) => some?.length)).toEqual([undefined, 100, 100, 50, 1]);
    expect(columns[4]).toEqual(['"late"::field']);
  });

  test('whose points have most of them is asked for at once from then on, in pieces of fewer rows', async () => {
    const options = influxOptions.parse({ database: 'plant' });
    const full = (length: number): number[] => Array.from({ length }, (_, index) => index);
    const part = (begin: number, end: number): Canned => answerOf(names, names.slice(begin, end), full(end - begin));
    await window(options, text(keys(names)), part(0, 100), part(100, 200), part(200, 250));
    const { variables, columns, asked } = await window(options, answerOf(names, names, full(250)));
    expect([variables.length, columns]).toEqual([250, [['*']]]);
    expect(asked[0]?.get('chunk_size')).toBe('2000');
  });

  test('stays as it was known where a window is empty', async () => {
    const options = influxOptions.parse({ database: 'plant' });
    const empty = [nothing(names), nothing(names), nothing(names)];
    await window(options, text(keys(names)), ...empty);
    const { columns } = await window(options, ...empty);
    expect(columns.map((some) => some?.length)).toEqual([100, 100, 50]);
  });

  test('that are texts is not asked for them with skipStringFields', async () => {
    const options = influxOptions.parse({ database: 'plant', skipStringFields: true });
    const listed = fieldKeys(...names.map((name, index) => [name, index < 200 ? 'string' : 'float']));
    const { columns } = await window(options, text(listed), text(`${listed}{"results":[{"statement_id":1}]}\n`));
    expect(columns.map((some) => some?.length)).toEqual([undefined, 50]);
  });
});

describe('a consumer that', () => {
  async function* endless(count: { pieces: number }): AsyncGenerator<Uint8Array> {
    yield Buffer.from(fieldKeys(['f', 'float']));
    for (;;) {
      count.pieces += 1;
      yield Buffer.from(points(['f'], `[[${count.pieces},1]]`).replace('}]}]}', '}],"partial":true}]}'));
    }
  }

  test('stops early ends the stream', async () => {
    const { http, streams } = cannedHttp({ pieces: endless({ pieces: 0 }) });
    for await (const one of read(http, optionsOf({}), selection('m'), { from: 0, to: 10 })) {
      expect(one.values).toEqual([1]);
      break;
    }
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test('is slow makes the stream wait', async () => {
    const count = { pieces: 0 };
    const { http } = cannedHttp({ pieces: endless(count) });
    const reading = read(http, optionsOf({}), selection('m'), { from: 0, to: 10 });
    for (let taken = 0; taken < 5; taken += 1) await reading.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(count.pieces).toBeLessThan(10);
    await reading.return(undefined);
  });
});

test('403 names the missing right and how to grant it', async () => {
  const said = `error authorizing query: the "bridge" not authorized to execute statement 'SELECT', requires READ on plant`;
  const reading = samplesOf([{ ...text(JSON.stringify({ error: said })), status: 403 }], {}, selection('m'));
  await expect(reading).rejects.toMatchObject({
    fault: { code: 'credentials-rejected', right: true },
    remedy: expect.stringContaining(String.raw`GRANT READ ON "plant" TO "the \"bridge\""`) as unknown,
  });
});

test('403 of a server before InfluxDB is a missing right', async () => {
  const reading = samplesOf([{ ...text('<html>Forbidden</html>'), status: 403 }], {}, selection('m'));
  await expect(reading).rejects.toMatchObject({
    fault: { code: 'credentials-rejected', right: true },
    remedy: expect.stringContaining('GRANT READ ON "plant" TO the user') as unknown,
  });
});
