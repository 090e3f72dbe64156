import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { basicOf, formOf } from './form.ts';

const basic = (id: string, secret: string): string => {
  const form = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${form(id)}:${form(secret)}`).toString('base64')}`;
};

const text = fc.oneof(fc.string(), fc.constantFrom('ä:%+ &=', '温度\0', '😀'));

describe('HTTP Basic', () => {
  it('gives back an id and a secret that were form-encoded', () =>
    fc.assert(
      fc.property(text, text, (id, secret) => {
        expect(basicOf(basic(id, secret))).toEqual({ id, secret });
      }),
    ));

  it('is read with its scheme in upper or lower case, and with a colon in the secret', () => {
    expect(basicOf(`bAsIc ${Buffer.from('a:b:c').toString('base64')}`)).toEqual({ id: 'a', secret: 'b:c' });
  });

  test.each([undefined, '', 'Bearer abc', 'Digest x', 'Basicabc'])('is absent from %j', (header) => {
    expect(basicOf(header)).toBeUndefined();
  });

  test.each([
    'Basic',
    'Basic ',
    'Basic !!!',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    `Basic ${Buffer.from([0xff, 0x3a, 0x61]).toString('base64')}`,
    `Basic ${Buffer.from('a:%zz').toString('base64')}`,
    `Basic ${Buffer.from('%ff:a').toString('base64')}`,
    'Basic YTpi YTpi',
  ])('is wrong and not absent in %j', (header) => {
    expect(basicOf(header)).toEqual({ id: '', secret: '' });
  });
});

test('a form may hold each field once', () => {
  expect(formOf('grant_type=refresh_token&refresh_token=a%2Bb+c&x=')).toEqual(
    new Map([
      ['grant_type', 'refresh_token'],
      ['refresh_token', 'a+b c'],
      ['x', ''],
    ]),
  );
  expect(formOf('scope=data&scope=data')).toEqual({ repeated: 'scope' });
  expect(formOf('__proto__=1')).toEqual(new Map([['__proto__', '1']]));
});
