import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAST_INSTANT } from '../../../src/core/instant.ts';
import { quoteName, quoteText, select, showFieldKeys, showSeries } from './query.ts';

const names = { database: 'plant' };
const window = { from: 1_767_225_600_000_000, to: 1_767_225_600_000_001 };

/** Parses a quoted text as InfluxQL does, and returns it with the rest after it. */
function scan(quoted: string): { content: string; rest: string } {
  const quote = quoted[0];
  let content = '';
  for (let index = 1; index < quoted.length; index += 1) {
    const character = quoted[index];
    if (character === '\n') throw new Error('a quote does not span lines');
    if (character === quote) return { content, rest: quoted.slice(index + 1) };
    if (character !== '\\') content += character;
    else {
      index += 1;
      const meaning = new Map([
        ['n', '\n'],
        ['\\', '\\'],
        ['"', '"'],
        ["'", "'"],
      ]).get(quoted[index] ?? '');
      if (meaning === undefined) throw new Error('bad escape');
      content += meaning;
    }
  }
  throw new Error('not terminated');
}

describe('quoting', () => {
  const awkward = fc.string({ unit: fc.constantFrom('a', '"', "'", '\\', '\n', 'n', ';', ' ', '--', '🔥') });

  test('keeps every name and text in its quotes', () => {
    fc.assert(
      fc.property(awkward, (text) => {
        expect(scan(quoteName(text))).toEqual({ content: text, rest: '' });
        expect(scan(quoteText(text))).toEqual({ content: text, rest: '' });
      }),
    );
  });

  test('makes an injection just a strange name', () => {
    expect(showSeries({ database: 'x"; DROP DATABASE "plant' })).toBe(
      String.raw`SHOW SERIES ON "x\"; DROP DATABASE \"plant"`,
    );
  });
});

describe('select', () => {
  test('asks for a window with both ends to the nanosecond', () => {
    expect(select(names, 'pump', window)).toBe(
      'SELECT * FROM "plant".."pump" WHERE time >= 1767225600000000000 AND time < 1767225600000001000 GROUP BY * ORDER BY time ASC',
    );
  });

  test.each([
    [0, 1, 'time >= 0 AND time < 1000 '],
    [-5, 7, 'time >= -5000 AND time < 7000 '],
    [LAST_INSTANT - 1, LAST_INSTANT, 'time >= 9007199254740990000 AND time < 9007199254740991000 '],
  ])('from %d to %d', (from, to, condition) => {
    expect(select(names, 'pump', { from, to })).toContain(condition);
  });

  test('names the retention policy', () => {
    expect(select({ ...names, retentionPolicy: 'a year' }, 'pump', window)).toContain('FROM "plant"."a year"."pump"');
  });

  test('asks for chosen sensors with their tags and without the tags of the others', () => {
    const sensors = [
      { measurement: 'pump', tags: [['line', "o'clock"]] },
      { measurement: 'pump', tags: [['hall', '3']] },
      { measurement: 'pump', tags: [] },
    ] as const;
    expect(select(names, 'pump', window, { sensors })).toContain(
      String.raw` AND (("line"::tag = 'o\'clock' AND "hall"::tag = '') OR ("line"::tag = '' AND "hall"::tag = '3') OR ("line"::tag = '' AND "hall"::tag = '')) GROUP BY`,
    );
  });

  test('asks for sensors named by one tag with any other tags', () => {
    const sensors = [
      { measurement: undefined, tags: [['hall', '3']] },
      {
        measurement: 'pump',
        tags: [
          ['hall', ''],
          ['line', 'a'],
        ],
      },
    ] as const;
    expect(select(names, 'pump', window, { sensors })).toContain(
      ` AND (("hall"::tag = '3') OR ("hall"::tag = '' AND "line"::tag = 'a')) GROUP BY`,
    );
  });

  test('asks for all series where a chosen sensor has no tags', () => {
    const sensors = [{ measurement: 'pump', tags: [] }];
    expect(select(names, 'pump', window, { sensors })).toBe(select(names, 'pump', window));
  });

  test('asks for many sensors by the values of their tags', () => {
    const sensors = Array.from({ length: 101 }, (_, index) => ({
      measurement: 'pump',
      tags: [['hall', `${index}`], ...(index === 0 ? [] : [['line', 'a/b']])] as [string, string][],
    }));
    const halls = sensors.map((_, index) => index).join('|');
    expect(select(names, 'pump', window, { sensors })).toContain(
      String.raw` AND "hall"::tag =~ /^(?:${halls})$/ AND "line"::tag =~ /^(?:|a\x{2f}b)$/ GROUP BY`,
    );
  });

  test('asks for many sensors named by one tag only by that tag', () => {
    const sensors = [
      ...Array.from({ length: 101 }, (_, index) => ({ measurement: undefined, tags: [['hall', `${index}`]] as const })),
      {
        measurement: 'pump',
        tags: [
          ['hall', ''],
          ['line', 'a'],
        ] as const,
      },
    ];
    const text = select(names, 'pump', window, { sensors });
    expect(text).toContain('|100|)$/');
    expect(text).not.toContain('line');
  });

  test('asks for one type of a field', () => {
    const columns = [{ field: 'a "b"', type: 'string' }];
    expect(select(names, 'pump', window, { columns })).toContain(String.raw`SELECT "a \"b\""::string FROM`);
  });
});

test('SHOW FIELD KEYS names the measurements', () => {
  expect(showFieldKeys(names, ['a', 'b c'])).toBe('SHOW FIELD KEYS ON "plant" FROM "a", "b c"');
});
