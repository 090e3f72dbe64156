import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BridgeError } from '../core/errors.ts';
import { formatOf, recordsOf } from './file.ts';
import type { Format } from './file.ts';
import { BEGINNING, LONGEST_RECORD_BYTES } from './record.ts';
import type { FileRecord, FilePosition } from './record.ts';
import { csvLine, readingCells, readingDocument } from '../terminal/reading-rows.ts';

/** A file in chunks of so many bytes, from a place on. */
async function* cut(file: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
}

async function read(
  format: Format,
  text: string | Buffer,
  given: { chunkBytes?: number; from?: FilePosition; columns?: readonly string[] } = {},
): Promise<FileRecord[]> {
  const from = given.from ?? BEGINNING;
  const file = Buffer.from(text as string).subarray(from.offset);
  const chunks = cut(file, given.chunkBytes ?? 65_536);
  const records: FileRecord[] = [];
  const heading = { known: given.columns, onFound: () => undefined };
  for await (const page of recordsOf(format, { chunks, first: file.subarray(0, given.chunkBytes) }, from, heading)) {
    records.push(...page);
  }
  return records;
}

/** Line and reading, or line and reason. */
const seen = (records: readonly FileRecord[]): unknown[] =>
  records.map(({ line, reading, refusal }) => [line, refusal === undefined ? reading : refusal.reason]);

const faultOf = async (promise: Promise<unknown>): Promise<BridgeError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof BridgeError) return error;
  throw new Error('it was not refused', { cause: error });
};

const A = { sensorId: 'a', date: '2026-01-01T00:00:00Z', value: 1 };

describe('ndjson', () => {
  it('takes every line by itself, whatever the others are', async () => {
    const lines = [JSON.stringify(A), '', '{"sensorId":', '[1]', '"text"', ' \t', '{"value":1e999}', '{"value":"1"}'];
    expect(seen(await read('ndjson', lines.join('\r\n')))).toEqual([
      [1, A],
      [3, 'not-json'],
      [4, 'not-an-object'],
      [5, 'not-an-object'],
      [7, { value: expect.anything() as unknown }],
      [8, { value: '1' }],
    ]);
  });

  it('sends a number too large for a double as it was written, not as null', async () => {
    const records = await read('ndjson', '{"value":1e999}\n{"value":-1e999}');
    expect(JSON.stringify(records.map(({ reading }) => reading))).toBe('[{"value":1e999},{"value":-1e999}]');
  });

  it('neither sends nor mends what is not UTF-8, nested deep, or too long', async () => {
    const deep = `{"value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const long = `{"sensorId":"${'x'.repeat(LONGEST_RECORD_BYTES)}"}`;
    const latin = Buffer.concat([Buffer.from('{"sensorId":"p'), Buffer.from([0xfc]), Buffer.from('"}\n')]);
    const file = Buffer.concat([latin, Buffer.from(`${deep}\n${long}\n${JSON.stringify(A)}`)]);
    for (const chunkBytes of [65_536, 10_000_000]) {
      expect(seen(await read('ndjson', file, { chunkBytes }))).toEqual([
        [1, 'not-utf-8'],
        [2, 'too-deep'],
        [3, 'too-long'],
        [4, A],
      ]);
    }
  });
});

describe('csv', () => {
  const rows = (...lines: string[]): string => ['sensorId,date,value,labels', ...lines].join('\n');

  it('keeps cells as they are; only a JSON number becomes one', async () => {
    const values = ['1', '-0.5e-3', '1E+2', '0x10', '1,5', ' 1', '+1', '01', '.5', 'NaN', 'true', ''];
    const lines = values.map((value) => `a,d,"${value}",`);
    const readings = (await read('csv', rows(...lines))).map(({ reading }) => (reading as typeof A).value);
    expect(readings).toEqual([1, -0.0005, 100, '0x10', '1,5', ' 1', '+1', '01', '.5', 'NaN', 'true', undefined]);
    expect(JSON.stringify((await read('csv', rows('a,d,1e999,')))[0]?.reading)).toContain('"value":1e999');
  });

  it('takes columns in any order, quotes, line breaks in quotes, and leaves empty cells out', async () => {
    const text = 'value,labels,"date",sensorId\r\n1,x;y,d,"say ""a,\nb"""\r\n\r\n2,,d,c\r\n';
    expect(seen(await read('csv', text))).toEqual([
      [2, { value: 1, labels: ['x', 'y'], date: 'd', sensorId: 'say "a,\nb"' }],
      [5, { value: 2, date: 'd', sensorId: 'c' }],
    ]);
  });

  it('loses one line for a quote out of place, not the rest of the file', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `s${index},d,1,`);
    const records = await read('csv', rows('"a,d,1,', ...many, 'b"c,d,1,', '"d"e,d,1,', 'f,d,1', 'g,d,1,,', '"h,d,1,'));
    expect(seen(records.filter(({ refusal }) => refusal))).toEqual([
      [2, 'bad-quotes'],
      [303, 'bad-quotes'],
      [304, 'bad-quotes'],
      [305, 'wrong-cells'],
      [306, 'wrong-cells'],
      [307, 'bad-quotes'],
    ]);
    expect(records).toHaveLength(306);
  });

  it('holds back no more than a record may be, though a quote is never closed', async () => {
    let chunksRead = 0;
    async function* long(): AsyncGenerator<Buffer> {
      yield Buffer.from(rows('"a,d,1,', ''));
      for (; chunksRead < 5_000; chunksRead += 1) yield Buffer.from('b,d,1,\n');
    }
    const found: FileRecord[] = [];
    const peek = { chunks: long(), first: Buffer.alloc(0) };
    for await (const page of recordsOf('csv', peek, BEGINNING, { onFound: () => undefined })) {
      found.push(...page);
      if (found.length > 200) break;
    }
    expect(found.filter(({ refusal }) => refusal).map(({ line }) => line)).toEqual([2]);
    expect(chunksRead).toBeLessThan(300);
  });

  it.each([
    ['sensorId,date,value,unit', /no column "unit"/],
    ['sensorId;date;value', /separated by commas/],
    ['sensorId,date', /value is missing/],
    ['sensorId,date,value,date', /date is there twice/],
    ['', /empty/],
  ])('says what is wrong with the heading %s', async (heading, message) => {
    const error = await faultOf(read('csv', heading));
    expect([error.code, error.message, error.remedy]).toEqual([
      'config-invalid',
      expect.stringMatching(message),
      expect.stringContaining('sensorId,valueName,date,value,precision,labels'),
    ]);
  });
});

describe('json', () => {
  it('takes the elements of an array by themselves', async () => {
    const text = `\n[${JSON.stringify(A)},\n\n{"sensorId":"]},[\\"","labels":["x",[]]} , 1,"a,b]", {"value":01},\nnull]\n`;
    expect(seen(await read('json', text))).toEqual([
      [2, A],
      [4, { sensorId: ']},["', labels: ['x', []] }],
      [4, 'not-an-object'],
      [4, 'not-an-object'],
      [4, 'not-json'],
      [5, 'not-an-object'],
    ]);
    expect(await read('json', '[]')).toEqual([]);
  });

  it.each([
    ['by not being there', '{"sensorId":"a"}', 0, 'config-invalid', /no JSON array/],
    ['by being empty', '', 0, 'config-invalid', /no JSON array/],
    ['by a missing comma', '[{} {}]', 1, 'contract-broken', /line 1: a comma/],
    ['by two commas', '[{},\n,{}]', 1, 'contract-broken', /line 2: a reading/],
    ['by a comma at its end', '[{},]', 1, 'contract-broken', /a reading/],
    ['by more behind it', '[{}]\n[', 1, 'contract-broken', /line 2: nothing more/],
    ['by being cut off', '[{},\n{"a":"b', 1, 'contract-broken', /line 2 before its array does/],
    ['by a quote', `[{},"${'x'.repeat(2 * LONGEST_RECORD_BYTES)}"]`, 1, 'contract-broken', /longer than any reading/],
  ])('that is broken %s ends there, after what came before', async (_, text, before, code, message) => {
    const records: FileRecord[] = [];
    const chunks = cut(Buffer.from(text), 65_536);
    const reading = (async () => {
      const heading = { onFound: () => undefined };
      const all = recordsOf('json', { chunks, first: Buffer.from(text.slice(0, 9)) }, BEGINNING, heading);
      for await (const page of all) records.push(...page);
    })();
    const error = await faultOf(reading);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(records.length).toBeLessThanOrEqual(before);
  });
});

const sensorId = fc.string({
  unit: fc.constantFrom('a', 'ü', '"', ',', ' ', '\u2028', '𝛑', ';', '[', '}', '\\'),
  minLength: 1,
});
const stored = fc.record({
  sensorId,
  valueName: fc.constantFrom('none', 'axis_x'),
  at: fc.integer({ min: 0, max: 4e15 }),
  value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  precision: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
  labels: fc.array(fc.constantFrom('x', 'hall 3', '"q"', 'a,b'), { maxLength: 3 }),
});

/** The three ways a file may hold readings, the first two written as `databridge readings` writes them. */
const WRITERS: Readonly<Record<Format, (readings: Parameters<typeof readingCells>[0][]) => string>> = {
  csv: (readings) =>
    [['labels,value,sensorId,valueName,date,precision'.split(',')], readings.map(reordered)]
      .flat()
      .map(csvLine)
      .join(''),
  ndjson: (readings) => readings.map((reading) => `${JSON.stringify(readingDocument(reading))}\n`).join(''),
  json: (readings) => JSON.stringify(readings.map(readingDocument), undefined, 1),
};

function reordered(reading: Parameters<typeof readingCells>[0]): ReturnType<typeof readingCells> {
  const [sensor, name, date, value, precision, labels] = readingCells(reading);
  return [labels, value, sensor, name, date, precision];
}

test('what databridge readings writes is read unchanged, however it is cut into chunks and wherever it is resumed', async () => {
  const formats = fc.constantFrom<Format>('csv', 'ndjson', 'json');
  await fc.assert(
    fc.asyncProperty(
      formats,
      fc.array(stored, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 200 }),
      fc.nat(),
      async (format, readings, chunkBytes, pick) => {
        const text = WRITERS[format](readings);
        const records = await read(format, text, { chunkBytes });
        expect(records.map(({ reading }) => reading)).toEqual(readings.map(readingDocument));
        const at = pick % records.length;
        const columns = text.slice(0, text.indexOf('\n')).split(',');
        const from = (records[at] as FileRecord).next;
        const rest = await read(format, text, { chunkBytes, from, columns });
        expect(rest).toEqual(records.slice(at + 1));
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['a.CSV', '{}', 'csv'],
  ['a.jsonl', '[', 'ndjson'],
  ['a.json', '{', 'json'],
  ['a', ' \n[', 'json'],
  ['a.txt', '{"a"', 'ndjson'],
  [undefined, 'sensorId,', 'csv'],
  [undefined, '', 'ndjson'],
  [undefined, '\ufeff[', 'json'],
])('%s that begins with %j is %s', (path, first, format) => {
  expect(formatOf({ name: '', path, size: 1 }, Buffer.from(first))).toBe(format);
});

test('what is packed or UTF-16 is said to be', () => {
  const input = { name: '', path: 'a.csv', size: 1 };
  expect(() => formatOf(input, Buffer.from([0x1f, 0x8b, 8]))).toThrow(/gzip/);
  expect(() => formatOf(input, Buffer.from('\ufeffx', 'utf16le'))).toThrow(/UTF-16/);
});

test('a byte order mark is no part of the first line', async () => {
  for (const [format, text] of [
    ['csv', 'sensorId,date,value\na,d,1'],
    ['ndjson', '{"a":1}'],
    ['json', '[{"a":1}]'],
  ] as const) {
    const records = await read(format, `\ufeff${text}`);
    expect(records).toHaveLength(1);
    expect(records[0]?.refusal).toBeUndefined();
    expect(records[0]?.next.offset).toBe(Buffer.byteLength(`\ufeff${text}`) - (format === 'json' ? 1 : 0));
  }
});
