import { describe, expect, test } from 'vitest';
import { httpJsonOptions } from './options.ts';
import { SOURCE_OPTIONS } from './simulator.ts';
import { filled } from './template.ts';
import { readTime, writtenTime } from './times.ts';

const { exactness, paging, readings, authorisation, sensors, times } = SOURCE_OPTIONS;
const problemsOf = (change: object): string[] => {
  const parsed = httpJsonOptions.safeParse({ ...SOURCE_OPTIONS, ...change });
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
};

describe('options', () => {
  test('that go together are taken', () => {
    expect(problemsOf({})).toEqual([]);
  });

  test.each(Object.keys(exactness))('have no default for exactness.%s', (field) => {
    const rest = Object.fromEntries(Object.entries(exactness).filter(([name]) => name !== field));
    expect(problemsOf({ exactness: rest })).toContain(`exactness.${field}`);
  });

  test.each<[string, object]>([
    ['unproven', { exactness: { ...exactness, proof: 'none' } }],
    ['unproven', { unproven: 'accepted' }],
    ['exactness.proof', { exactness: { ...exactness, proof: 'empty-page' } }],
    ['exactness.count', { exactness: { ...exactness, proof: 'count' } }],
    ['exactness.trailer', { exactness: { ...exactness, proof: 'trailer' } }],
    ['readings', { readings: { ...readings, query: { from: '{from}' } } }],
    [
      'readings',
      { readings: { ...readings, query: { from: '{from}', to: '{to}', sensor: '{sensors}', size: '{size}' } } },
    ],
    ['sensors', { sensors: { ...sensors, list: ['a'] } }],
    ['times.read', { times: { ...times, read: 'local' } }],
    ['paging.ends', { paging: { by: 'cursor', next: 'next', size: 500 } }],
    [
      'sensors.perRequest',
      { paging: { by: 'time', size: 5 }, exactness: { ...exactness, proof: 'none' }, unproven: 'accepted' },
    ],
    ['answer.failed', { exactness: { ...exactness, failsAs: 'inside-200' } }],
    ['authorisation.header', { authorisation: { by: 'header' } }],
    ['authorisation.client', { authorisation: { ...authorisation, by: 'oauth2' } }],
    ['paging.next', { paging: { ...paging, next: 'a.{' } }],
  ])('are refused at %s: %j', (path, change) => {
    expect(problemsOf(change)).toContain(path);
  });
});

test('a placeholder alone keeps its type, and one without a value takes its parameter along', () => {
  const places = { from: 5, sensors: ['a', 'b/c'], cursor: undefined };
  const template = {
    method: 'POST',
    path: '/x/{sensors}',
    query: { after: '{cursor}', id: '{sensors}' },
    body: { at: '{from}', all: ['{sensors}'], text: 'from {from}' },
  } as const;
  expect(filled({ ...template, body: { ...template.body, all: [...template.body.all] } }, places, undefined)).toEqual({
    method: 'POST',
    address: '/x/a%2Cb%2Fc?id=a&id=b%2Fc',
    body: { at: 5, all: [['a', 'b/c']], text: 'from 5' },
  });
  expect(filled({ ...template, body: '{sensors}' }, places, ';').body).toBe('a;b/c');
});

const AT = 1_767_225_600_123_456;

test.each([
  ['iso', undefined, '2026-01-01T00:00:00.123456Z'],
  ['iso', 'Europe/Berlin', '2026-01-01T01:00:00.123456+01:00'],
  ['local', undefined, '2026-01-01T00:00:00.123456'],
  ['s', undefined, 1_767_225_600.123456],
  ['ms', undefined, 1_767_225_600_123.456],
  ['us', undefined, AT],
  ['ns', undefined, '1767225600123456000'],
] as const)('an instant as %s of %s', (form, zone, text) => {
  const given = { write: form, read: form, ...(zone === undefined ? {} : { zone }) };
  expect(writtenTime(AT, given)).toBe(text);
  expect(readTime(text, form)).toBe(AT);
  expect(readTime(String(text), form)).toBe(AT);
});

test.each([
  ['iso', '2026-01-01T00:00:00'],
  ['ns', 1_767_225_600_123_456_000],
  ['ms', 'soon'],
  ['ms', null],
  ['s', Infinity],
] as const)('%s: %j is no time', (form, value) => {
  expect(readTime(value, form)).toBeNaN();
});
