import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { blocks } from './answer.ts';
import type { Block } from './answer.ts';
import { influxFailure } from './failure.ts';

const recorded = readFileSync(new URL('cases/several-series-and-types/answer-1.jsonl', import.meta.url));
const lineEnds = [...recorded.keys()].filter((index) => recorded[index] === 10).map((index) => index + 1);

async function* piecesOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
  let from = 0;
  for (const end of ends) {
    if (end > from) yield bytes.subarray(from, end);
    from = end;
  }
}

const failure = (said: string) => influxFailure(said, { database: 'plant' });

const read = async (
  stream: AsyncIterable<Uint8Array>,
  statements = 2,
): Promise<{ found: unknown[]; error: unknown }> => {
  const found: unknown[] = [];
  try {
    for await (const block of blocks(stream, statements, failure)) found.push(plain(block));
  } catch (error) {
    return { found, error };
  }
  return { found, error: undefined };
};

const plain = ({ statement, name, tags, columns, rows }: Block) => ({ statement, name, tags, columns, rows: rows() });

const lines = (...documents: readonly unknown[]): AsyncGenerator<Uint8Array> =>
  piecesOf(Buffer.from(documents.map((document) => `${JSON.stringify(document)}\n`).join('')), []);

const series = (partial?: true) => ({
  name: 'pump',
  columns: ['time', 'speed'],
  values: [[1, 2]],
  ...(partial && { partial }),
});

const whole = await read(piecesOf(recorded, []));

describe('an answer in pieces', () => {
  test('is read as recorded', () => {
    expect(whole.error).toBeUndefined();
    expect(whole.found).toHaveLength(6);
    expect(whole.found.at(-2)).toMatchObject({
      statement: 1,
      rows: [[1_767_225_600_000_002, null, null, 1e21, 'überhitzt 🔥']],
    });
  });

  test('is the same when it is cut in two at any byte', async () => {
    for (let cut = 0; cut <= recorded.length; cut += 1) {
      expect(await read(piecesOf(recorded, [cut])), `cut at byte ${cut}`).toEqual(whole);
    }
  });

  test('is the same when it is cut into many pieces', async () => {
    const cuts = fc.array(fc.integer({ min: 0, max: recorded.length }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        expect(await read(piecesOf(recorded, at))).toEqual(whole);
      }),
      { numRuns: 200 },
    );
    expect(await read(piecesOf(recorded, [...recorded.keys()]))).toEqual(whole);
  });

  test('that ends early, at any byte, is unavailable and never an answer', async () => {
    for (let end = 0; end < recorded.length; end += 1) {
      const { found, error } = await read(piecesOf(recorded.subarray(0, end), []));
      expect(error, `ended at byte ${end}`).toMatchObject({ fault: { code: 'unavailable', why: 'reset' } });
      expect(found).toEqual(whole.found.slice(0, lineEnds.filter((lineEnd) => lineEnd <= end).length));
    }
  });
});

describe('rows of numbers', () => {
  const numbersOf = async (document: unknown): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { numbers, rowCount, rows } of blocks(lines(document), 1, failure)) {
      found.push({ numbers, rowCount, rows: rows() });
    }
    return found;
  };
  const values = [
    [1, 2.5],
    [2, null],
  ];

  test('come as columns, and as rows where these are asked for', async () => {
    const document = { results: [{ statement_id: 0, series: [{ ...series(), values }] }] };
    expect(await numbersOf(document)).toEqual([
      {
        numbers: [
          [1, 2],
          [2.5, Number.NaN],
        ],
        rowCount: 2,
        rows: values,
      },
    ]);
  });

  test.each([
    ['of one series of several', { series: [{ ...series(), values }, series()] }],
    ['that are fewer than the columns', { series: [{ ...series(), columns: ['time', 'speed', 'load'], values }] }],
    ['at a place where no rows belong', { series: [{ meta: { values }, ...series(), values }] }],
    ['beside a text', { series: [{ ...series(), values: [...values, [3, '4']] }] }],
  ])('%s come as rows', async (_what, result) => {
    const [first] = await numbersOf({ results: [{ statement_id: 0, ...result }] });
    expect(first).toMatchObject({ numbers: undefined, rows: result.series[0]?.values });
  });
});

describe('completeness', () => {
  test('the series of the last document must not be partial', async () => {
    const { error } = await read(lines({ results: [{ statement_id: 0, series: [series(true)] }] }), 1);
    expect(error).toMatchObject({ code: 'unavailable' });
  });

  test('the result of the last document must not be partial', async () => {
    const { error } = await read(lines({ results: [{ statement_id: 0, series: [series()], partial: true }] }), 1);
    expect(error).toMatchObject({ code: 'unavailable' });
  });

  test('a statement without an answer is missing, not empty', async () => {
    const { error } = await read(lines({ results: [{ statement_id: 0 }] }), 2);
    expect(error).toMatchObject({ code: 'unavailable' });
  });

  test('a complete answer followed by the beginning of a document is not complete', async () => {
    const { error } = await read(piecesOf(Buffer.from('{"results":[{"statement_id":0}]}\n{"res'), []), 1);
    expect(error).toMatchObject({ code: 'unavailable' });
  });

  test('an empty stream is not an answer', async () => {
    expect((await read(lines(), 1)).error).toMatchObject({ code: 'unavailable' });
  });

  test('an empty result is an answer', async () => {
    const { found, error } = await read(lines({ results: [{ statement_id: 0 }, { statement_id: 1 }] }), 2);
    expect({ found, error }).toEqual({ found: [], error: undefined });
  });
});

describe('errors inside HTTP 200', () => {
  test('are thrown in the middle, after points have come', async () => {
    const stream = lines(
      { results: [{ statement_id: 0, series: [series(true)], partial: true }] },
      { results: [{ statement_id: 0, error: 'query-timeout limit exceeded' }] },
    );
    const { found, error } = await read(stream, 1);
    expect(found).toHaveLength(1);
    expect(error).toMatchObject({ code: 'too-much' });
  });

  test('are thrown at the top level of a document', async () => {
    const { error } = await read(lines({ error: 'database not found: plant' }), 1);
    expect(error).toMatchObject({ fault: { code: 'config-invalid', path: 'options.database' } });
  });

  test.each([
    ['database not found: plant', 'config-invalid'],
    ['retention policy not found: year', 'config-invalid'],
    [
      'error authorizing query: bridge not authorized to execute statement, requires READ on plant',
      'credentials-rejected',
    ],
    ['max-select-series limit exceeded: (101/100)', 'too-much'],
    ['max-select-point limit exceeed: (1000001/1000000)', 'too-much'],
    ['max-select-buckets limit exceeded: (5/4)', 'too-much'],
    ['query-timeout limit exceeded', 'too-much'],
    ['max-concurrent-queries limit exceeded(5, 5)', 'unavailable'],
    ['query interrupted', 'unavailable'],
    ['query engine shutdown', 'unavailable'],
    ['not executed', 'unavailable'],
    ['engine is closed', 'unavailable'],
    ['engine: error reading tsm file', 'unavailable'],
    ['shard is disabled', 'unavailable'],
    ['timeout', 'unavailable'],
    ['an error that is not documented', 'contract-broken'],
  ])('%s: %s', async (said, code) => {
    const { error } = await read(lines({ results: [{ statement_id: 0, error: said }] }), 1);
    expect(error).toMatchObject({ code });
  });

  test('an error that is not documented is shown to the operator', async () => {
    const { error } = await read(lines({ results: [{ statement_id: 0, error: 'out of cheese' }] }), 1);
    expect(error).toMatchObject({ fault: { code: 'contract-broken', page: 'out of cheese' } });
  });
});

describe('a body that is not an answer of InfluxDB', () => {
  test.each([
    ['a page of a portal', '<!doctype html><title>Sign in</title>'],
    ['a page of several lines', '<html>\n<body>\n'],
    ['a line that is not JSON', '{"results":[}\n'],
    ['a JSON text', '"hello"\n'],
    ['null', 'null\n'],
    ['another API', '{"status":"success"}\n'],
    ['a statement that was not sent', '{"results":[{"statement_id":2}]}\n'],
    ['rows that are none', '{"results":[{"statement_id":0,"series":[{"columns":["time"],"values":{}}]}]}\n'],
  ])('%s', async (_what, body) => {
    const { error } = await read(piecesOf(Buffer.from(body), [1]));
    expect(error).toMatchObject({ code: 'contract-broken', fault: { page: expect.any(String) as unknown } });
  });
});

describe('a stream that fails', () => {
  const failing = (error: Error): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
  });

  test.each([
    ['ECONNRESET', { code: 'unavailable', why: 'reset' }],
    ['ETIMEDOUT', { code: 'unavailable', why: 'time-out' }],
    ['ERR_CANCELED', { code: 'cancelled' }],
  ])('%s', async (code, fault) => {
    const { error } = await read(failing(Object.assign(new Error('gone'), { code })));
    expect(error).toMatchObject({ fault });
  });

  test('with a BridgeError fails with that error', async () => {
    const said = influxFailure('query-timeout limit exceeded', { database: 'plant' });
    expect((await read(failing(said))).error).toBe(said);
  });
});
