import { describe, expect, it } from 'vitest';
import { BridgeError } from '../core/errors.ts';
import { resolveSecrets } from './secret-reference.ts';

const missing = (code: string) => Object.assign(new Error(`${code}: hunter2`), { code });

const places = {
  env: { PASSWORD: 'hunter2', EMPTY: '', UNSET: undefined },
  readFile: (path: string): Promise<string> => {
    const files: Readonly<Record<string, string>> = {
      '/run/secrets/p': 'hunter2\n',
      '/run/secrets/two': 'a\nb\r\n',
      '/run/secrets/none': '\n',
    };
    const found = files[path];
    return found === undefined
      ? Promise.reject(missing(path.includes('locked') ? 'EACCES' : 'ENOENT'))
      : Promise.resolve(found);
  },
};

const refusal = (value: unknown, more = {}): Promise<unknown> =>
  resolveSecrets(value, { ...places, ...more }).then(
    () => 'nothing was refused',
    (error: unknown) =>
      error instanceof BridgeError ? { ...error.fault, message: error.message, remedy: error.remedy } : error,
  );

describe('references to secrets', () => {
  it('are replaced where they are a whole text, at any depth', async () => {
    const value = {
      connection: { url: 'https://h', password: '${env:PASSWORD}', key: '${file:/run/secrets/p}' },
      options: { list: ['${file:/run/secrets/two}', 5, null, true], text: 'a ${env:PASSWORD}', other: '$PASSWORD' },
    };
    const before = structuredClone(value);
    expect(await resolveSecrets(value, places)).toStrictEqual({
      connection: { url: 'https://h', password: 'hunter2', key: 'hunter2' },
      options: { list: ['a\nb', 5, null, true], text: 'a ${env:PASSWORD}', other: '$PASSWORD' },
    });
    expect(value).toStrictEqual(before);
  });

  it('are not resolved twice: a reference inside a secret stays as it is', async () => {
    expect(await resolveSecrets('${env:A}', { ...places, env: { A: '${env:B}', B: 'b' } })).toBe('${env:B}');
  });

  it('to unset or empty variables are config-invalid', async () => {
    expect(await refusal({ connection: { password: '${env:MISSING}' } })).toStrictEqual({
      code: 'config-invalid',
      path: 'connection.password',
      message: 'connection.password: the environment variable MISSING is not set',
      remedy: 'set MISSING for every process of the bridge, or change the reference',
    });
    expect(await refusal(['${env:EMPTY}'])).toMatchObject({ message: '[0]: the environment variable EMPTY is empty' });
    expect(await refusal({ a: '${env:toString}' })).toMatchObject({
      message: 'a: the environment variable toString is not set',
    });
  });

  it('to missing, unreadable or empty files are config-invalid, without the message of the system', async () => {
    expect(await refusal({ options: { key: '${file:/run/secrets/q}' } })).toStrictEqual({
      code: 'config-invalid',
      path: 'options.key',
      message: 'options.key: the file /run/secrets/q does not exist',
      remedy: 'put the secret there on every host of the bridge',
    });
    expect(await refusal({ k: '${file:/locked}' })).toMatchObject({
      message: 'k: the file /locked cannot be read (EACCES)',
    });
    expect(await refusal({ k: '${file:/run/secrets/none}' })).toMatchObject({
      message: 'k: the file /run/secrets/none is empty',
    });
  });
});
