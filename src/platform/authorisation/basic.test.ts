import { describe, expect, test } from 'vitest';
import { basic } from './basic.ts';

describe('HTTP Basic', () => {
  test('signs with the example of the RFC', () => {
    const signed = basic().sign({ username: 'Aladdin', password: 'open sesame' }, undefined, {});
    expect(signed).toEqual({ authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==' });
  });

  test('writes UTF-8, and colons of the password unchanged', () => {
    const { authorization = '' } = basic().sign({ username: 'tëst', password: '1:2:£' }, undefined, {});
    expect(Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8')).toBe('tëst:1:2:£');
  });

  test('refuses a user name that the scheme cannot carry', () => {
    expect(() => basic().sign({ username: 'a:b', password: 'c' }, undefined, {})).toThrow(
      expect.objectContaining({ code: 'config-invalid', message: expect.not.stringContaining('a:b') as string }),
    );
  });

  test('has no token', () => {
    expect(basic()).toEqual({ sign: expect.any(Function) as unknown });
  });
});
