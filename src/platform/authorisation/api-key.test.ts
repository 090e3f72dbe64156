import { expect, test } from 'vitest';
import { apiKey, bearer } from './api-key.ts';

test('a key travels in its header, with its prefix', () => {
  const signed = apiKey({ header: 'X-Authorization', field: 'apiKey', prefix: 'ApiKey ' }).sign(
    { apiKey: 'k-1' },
    undefined,
    {},
  );
  expect(signed).toEqual({ 'X-Authorization': 'ApiKey k-1' });
  expect(bearer({ field: 'token' }).sign({ token: 't-1' }, undefined, {})).toEqual({ authorization: 'Bearer t-1' });
});

test.each([[{}], [{ token: '' }], [{ token: 'a b' }], [{ token: 'secret\n' }], [{ token: 'schlüssel' }]])(
  'a key that cannot be sent is config-invalid, and not shown: %j',
  (credentials) => {
    expect(() => bearer({ field: 'token' }).sign(credentials as Record<string, string>, undefined, {})).toThrow(
      expect.objectContaining({
        fault: { code: 'config-invalid', path: 'connection.token' },
        message: expect.not.stringContaining('secret') as string,
      }),
    );
  },
);
