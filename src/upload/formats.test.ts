import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BridgeError } from '../core/errors.ts';
import { readingDocument } from '../core/reading.ts';
import { csvLine, readingCells } from '../terminal/reading-rows.ts';
import { recordsOf } from './file.ts';
import type { Format } from './format.ts';
import { LONGEST_RECORD_BYTES } from './record.ts';
import type { FileRecord } from './record.ts';

/** A file in chunks of `chunkBytes`. */
async function* cut(file: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
}
interface Given {
  readonly chunkBytes?: number;
  readonly path?: string;
  readonly fromLine?: number;
}

/** The records of a file; without a format the file is looked at. */
async function read(format: Format | undefined, text: string | Buffer, given: Given = {}): Promise<FileRecord[]> {
  const chunks = cut(Buffer.from(text as string), given.chunkBytes ?? 65_536);
  const records: FileRecord[] = [];
  for await (const page of recordsOf(chunks, given.path, { format, fromLine: given.fromLine ?? 1 })) {
    records.push(...page);
  }
  return records;
}

/** Line and reading, or line and reason. */
const seen = (records: readonly FileRecord[]): unknown[] =>
  records.map(({ line, reading, refusal }) => [line, refusal ?? reading]);

const faultOf = async (promise: Promise<unknown>): Promise<BridgeError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof BridgeError) return error;
  throw new Error('it was not a BridgeError', { cause: error });
};

const A = { sensorId: 'a', date: '2026-01-01T00:00:00Z', value: 1 };

describe('ndjson', () => {
  it('reads every line by itself, because a broken line must not cost another one', async () => {
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

  it('neither sends nor repairs lines that are not UTF-8, nested deep, or too long', async () => {
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

  it('reads columns in any order, quotes, line breaks in quotes, and leaves empty cells out', async () => {
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

  it('holds back at most a hundred lines where a quote is never closed', async () => {
    let chunksRead = 0;
    async function* long(): AsyncGenerator<Buffer> {
      yield Buffer.from(rows('"a,d,1,', ''));
      for (; chunksRead < 5_000; chunksRead += 1) yield Buffer.from('b,d,1,\n');
    }
    const found: FileRecord[] = [];
    for await (const page of recordsOf(long(), undefined, { format: 'csv', fromLine: 1 })) {
      found.push(...page);
      if (found.length > 200) break;
    }
    expect(found.filter(({ refusal }) => refusal).map(({ line }) => line)).toEqual([2]);
    expect(chunksRead).toBeLessThan(300);
  });

  it('joins at most a hundred lines to one row, because a stray quote must not cost further lines', async () => {
    const between = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index},d,1,`);
    const few = await read('csv', rows('"a', ...between(98), 'b",d,1,', 'c,d,1,'));
    expect(few.map(({ line }) => line)).toEqual([2, 102]);
    const many = await read('csv', rows('"a', ...between(99), 'b",d,1,', 'c,d,1,'));
    expect(many).toHaveLength(102);
    expect(many.filter(({ refusal }) => refusal).map(({ line }) => line)).toEqual([2, 102]);
  });

  it('refuses lines that are too long or not UTF-8 by themselves, also inside quotes', async () => {
    const long = 'x'.repeat(LONGEST_RECORD_BYTES + 1);
    const latin = Buffer.from([0xfc, 0x0a]);
    const file = Buffer.concat([
      Buffer.from(rows(long, '"a', '')),
      latin,
      Buffer.from('b",d,1,\r\n"c\r\nc",d,1,\r\n \r\n'),
      latin,
    ]);
    for (const chunkBytes of [1_000, 65_536, 10_000_000]) {
      expect(seen(await read('csv', file, { chunkBytes }))).toEqual([
        [2, 'too-long'],
        [3, 'bad-quotes'],
        [4, 'not-utf-8'],
        [5, 'bad-quotes'],
        [6, { sensorId: 'c\nc', date: 'd', value: 1 }],
        [9, 'not-utf-8'],
      ]);
    }
  });

  it('refuses every line of a file in which every quote is out of place', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `"${index}" "`);
    const records = await read('csv', rows(...lines));
    expect(records.map(({ refusal }) => refusal)).toEqual(lines.map(() => 'bad-quotes'));
  });

  it.each([
    ['sensorId,date,value,unit', /no column "unit"/],
    ['sensorId;date;value', /separated by commas/],
    ['sensorId,date', /value is missing/],
    ['sensorId,date,value,date', /date is there twice/],
    ['', /empty/],
  ])('names the mistake in the heading %s', async (heading, message) => {
    const error = await faultOf(read('csv', heading));
    expect([error.code, error.message, error.remedy]).toEqual([
      'config-invalid',
      expect.stringMatching(message),
      expect.stringContaining('sensorId,valueName,date,value,precision,labels'),
    ]);
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

/** The formats as `databridge readings` writes them, CSV with another order of columns. */
const WRITERS: Readonly<Record<Format, (readings: Parameters<typeof readingCells>[0][]) => string>> = {
  csv: (readings) =>
    [['labels,value,sensorId,valueName,date,precision'.split(',')], readings.map(reordered)]
      .flat()
      .map(csvLine)
      .join(''),
  ndjson: (readings) => readings.map((reading) => `${JSON.stringify(readingDocument(reading))}\n`).join(''),
};

function reordered(reading: Parameters<typeof readingCells>[0]): ReturnType<typeof readingCells> {
  const [sensor, name, date, value, precision, labels] = readingCells(reading);
  return [labels, value, sensor, name, date, precision];
}

test('readings that databridge readings writes are read unchanged, in chunks of any size and from any line', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Format>('csv', 'ndjson'),
      fc.array(stored, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 200 }),
      fc.nat(),
      async (format, readings, chunkBytes, pick) => {
        const text = WRITERS[format](readings);
        const records = await read(format, text, { chunkBytes });
        expect(records.map(({ reading }) => reading)).toEqual(readings.map(readingDocument));
        const at = pick % records.length;
        const rest = await read(format, text, { chunkBytes, fromLine: (records[at] as FileRecord).next.line });
        expect(rest).toEqual(records.slice(at + 1));
        expect(records.at(-1)?.next.offset).toBe(Buffer.byteLength(text));
      },
    ),
    { numRuns: 300 },
  );
});

test('the place behind a record is exact in every format, whatever the records are', async () => {
  const pieces = fc.constantFrom(
    '"',
    ',',
    '\n',
    '\r\n',
    'a',
    ';',
    'ü',
    '1',
    '{}',
    '"x"',
    ' ',
    'a,d,1\n',
    '"a\nb",d,1\n',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Format>('csv', 'ndjson'),
      fc.array(pieces, { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      async (format, parts, chunkBytes) => {
        const file = Buffer.from(`sensorId,date,value\n${parts.join('')}`);
        const records = await read(format, file, { chunkBytes });
        expect(await read(format, file, { chunkBytes: 1_000 })).toEqual(records);
        for (const [index, { next }] of records.entries()) {
          expect(file.subarray(0, next.offset).toString().split('\n')).toHaveLength(
            next.offset === file.length && file.at(-1) !== 10 ? next.line - 1 : next.line,
          );
          expect(await read(format, file, { chunkBytes, fromLine: next.line })).toEqual(records.slice(index + 1));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['a.CSV', 'sensorId,date,value\na,d,1', { sensorId: 'a', date: 'd', value: 1 }],
  ['a.jsonl', '[', 'not-json'],
  ['a.json', '{"a":1}', { a: 1 }],
  ['a', ' \n{"a":1}', { a: 1 }],
  ['a.txt', '{"a"', 'not-json'],
  [undefined, 'sensorId,date,value\na,d,1', { sensorId: 'a', date: 'd', value: 1 }],
  [undefined, '\ufeff{"a":1}', { a: 1 }],
  [undefined, '', undefined],
  [undefined, ' \n\n', undefined],
])('%s that begins with %j is read as its name or its first character says', async (path, text, found) => {
  const records = await read(undefined, text, { ...(path !== undefined && { path }), chunkBytes: 4 });
  expect(records.map(({ reading, refusal }) => refusal ?? reading)).toEqual(found === undefined ? [] : [found]);
});

test.each<[string, Buffer, Format | undefined, message: RegExp, remedy: RegExp]>([
  ['gzip', Buffer.from([0x1f, 0x8b, 8]), 'csv', /gzip/, /gunzip -c FILE/],
  ['UTF-16', Buffer.from('\ufeffx', 'utf16le'), undefined, /UTF-16/, /UTF-8/],
  ['a JSON array', Buffer.from('\ufeff \n [\n'), undefined, /JSON array/, /jq -c '\.\[\]' FILE/],
])('an input that is %s is refused, with a remedy', async (_, file, format, message, remedy) => {
  const error = await faultOf(read(format, file, { path: 'readings.json' }));
  expect([error.code, error.message, error.remedy]).toEqual([
    'config-invalid',
    expect.stringMatching(message),
    expect.stringMatching(remedy),
  ]);
});

test.each<[Format, string]>([
  ['csv', '\ufeffsensorId,date,value\na,d,1'],
  ['ndjson', '\ufeff{"a":1}'],
])('a byte order mark is no part of the first line of %s', async (format, text) => {
  const records = await read(format, text);
  expect(records.map(({ refusal, next }) => [refusal, next.offset])).toEqual([[undefined, Buffer.byteLength(text)]]);
});
