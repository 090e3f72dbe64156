import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSeriesKey, parseSeriesName, seriesName } from './series-name.ts';
import type { Series } from './series-name.ts';

const awkward = fc.string({
  unit: fc.constantFrom('a', 'B', '\\', ',', '=', ' ', '"', "'", '{', 'u', '}', '7', '\t', 'ü', '🔥'),
  minLength: 1,
});
const anySeries: fc.Arbitrary<Series> = fc.record({
  measurement: awkward,
  tags: fc.uniqueArray(fc.tuple(awkward, awkward), { selector: ([key]) => key, maxLength: 4 }),
});
const sorted = ({ measurement, tags }: Series): Series => ({
  measurement,
  tags: tags.toSorted(([one], [other]) => (one < other ? -1 : 1)),
});

describe('the name of a series', () => {
  test('reads like a series key', () => {
    const series = {
      measurement: 'temperature',
      tags: [
        ['line', 'paint shop'],
        ['hall', '3'],
      ],
    } as const;
    expect(seriesName(series)).toBe('temperature,hall=3,line=paint shop');
  });

  test('escapes characters that would be ambiguous', () => {
    const series = {
      measurement: 'a,b',
      tags: [
        ['k=1', 'C:\\x'],
        ['t', '\u0007'],
      ],
    } as const;
    expect(seriesName(series)).toBe(String.raw`a\,b,k\=1=C:\\x,t=\u{7}`);
  });

  test('can be parsed back for any names', () => {
    fc.assert(
      fc.property(anySeries, (series) => {
        expect(parseSeriesName(seriesName(series))).toEqual(sorted(series));
      }),
    );
  });

  test('holds no control characters', () => {
    fc.assert(
      fc.property(anySeries, (series) => {
        expect(seriesName(series)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  test.each(['a=b', 'm,', 'm,k', 'm,k=v=w'])('%s is not the name of a series', (name) => {
    expect(parseSeriesName(name)).toBeUndefined();
  });
});

// Left: the key as SHOW SERIES of influxd 1.6.7 writes it. Right: the names as SELECT … GROUP BY * shows them,
// unescaped.
describe('the series key of InfluxDB', () => {
  test.each<[key: string, series: Series]>([
    ['neg', { measurement: 'neg', tags: [] }],
    [
      'temp,sensor=S1,unit=C',
      {
        measurement: 'temp',
        tags: [
          ['sensor', 'S1'],
          ['unit', 'C'],
        ],
      },
    ],
    [String.raw`a\,b\ c"',k\ 1\,\="q=v\,\ \="'`, { measurement: `a,b c"'`, tags: [['k 1,="q', `v, ="'`]] }],
    [String.raw`bs2,t=a\\\,b`, { measurement: 'bs2', tags: [['t', String.raw`a\\,b`]] }],
    [String.raw`b15,t=a\\=b`, { measurement: 'b15', tags: [['t', String.raw`a\=b`]] }],
    [String.raw`b10,t=a\ b\\\ c`, { measurement: 'b10', tags: [['t', String.raw`a b\\ c`]] }],
    [String.raw`b3\x,t\x=a\b`, { measurement: String.raw`b3\x`, tags: [[String.raw`t\x`, String.raw`a\b`]] }],
    ['b6=x,t=a', { measurement: 'b6=x', tags: [['t', 'a']] }],
    [String.raw`b4,t=\=a`, { measurement: 'b4', tags: [['t', '=a']] }],
    [String.raw`b12,a\=b=c`, { measurement: 'b12', tags: [['a=b', 'c']] }],
    [
      String.raw`b9,t="q"',u=\\a`,
      {
        measurement: 'b9',
        tags: [
          ['t', `"q"'`],
          ['u', String.raw`\\a`],
        ],
      },
    ],
    ['mé☃😀,tä=ö', { measurement: 'mé☃😀', tags: [['tä', 'ö']] }],
  ])('%s', (key, series) => {
    expect(parseSeriesKey(key)).toEqual(series);
  });
});
