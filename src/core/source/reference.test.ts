import { describe, expect, it, test } from 'vitest';
import { looksLikeReference, parseReference, referencesIn, referenceText } from './reference.ts';

describe('a reference to a secret', () => {
  it.each([
    ['${env:HALL_3}', { from: 'env', name: 'HALL_3' }],
    ['${env:_x9}', { from: 'env', name: '_x9' }],
    ['${file:/run/secrets/hall-3}', { from: 'file', name: '/run/secrets/hall-3' }],
    ['${file:/}', { from: 'file', name: '/' }],
  ] as const)('is %s', (text, reference) => {
    expect(parseReference(text)).toEqual(reference);
    expect(referenceText(reference)).toBe(text);
    expect(looksLikeReference(text)).toBe(true);
  });

  it.each([
    'x${env:HALL_3}',
    '${env:HALL_3}x',
    '${env:HALL-3}',
    '${env:3_HALLS}',
    '${env:}',
    '${evn:HALL_3}',
    '${file:relative}',
    '${file:/a}b}',
    '${}',
    '${any\nthing}',
    'a ${file:b',
  ])('is meant by %j, which is none', (text) => {
    expect(parseReference(text)).toBeUndefined();
    expect(looksLikeReference(text)).toBe(true);
  });

  it.each(['plain', '', '$HOME', 'a{b}', '$ {env:X}', 'p${x}', '${x}p', '{env:X}'])('is not meant by %j', (text) => {
    expect(parseReference(text)).toBeUndefined();
    expect(looksLikeReference(text)).toBe(false);
  });
});

test('the references of a block are those of its fields whose whole text is one', () => {
  const fields = { username: 'bridge', password: '${env:P}', token: 'x${env:T}', key: '${file:/k}' };
  expect(referencesIn('connection', fields)).toEqual([
    { path: 'connection.password', reference: { from: 'env', name: 'P' } },
    { path: 'connection.key', reference: { from: 'file', name: '/k' } },
  ]);
});
