import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { good, exampleKinds, examplePlatforms, told } from '../../../test/kit/source-example.ts';
import { secret } from './fields.ts';
import { secretPaths } from './secrets.ts';

describe('secrets', () => {
  const connected = (change: object) => told({ connection: { ...good.connection, ...change } });

  it.each([
    ['http://bridge:hunter2@h/', 'holds credentials; take them out of the address; they have fields of their own'],
    ['h:8086', 'is not an address; write it like https://host:8443/path'],
    ['hunter2@:h', 'is not an address; write it like https://host:8443/path'],
    ['ftp://h', 'begins with ftp://, not with http:// or https://; give the address of the HTTP API'],
    [
      'https://h/?key=hunter2',
      'holds a query or a fragment; end it before "?" and "#"; the bridge adds a query of its own',
    ],
    ['${env:URL}', 'may not be a reference; write the address itself; it is no secret'],
  ])('are not accepted in an address: %s', (url, line) => {
    expect(connected({ url })).toStrictEqual([`connection.url: ${line}`]);
  });

  it('are never repeated in a message', () => {
    const lines = [
      ...connected({ password: 8_675_309, pasword: 'hunter2' }),
      ...connected({ password: 'hunter2${env:X}' }),
      ...connected({ password: ['hunter2'] }),
      ...told({ options: { database: 'd', token: 8_675_309 } }),
    ];
    expect(lines).toStrictEqual([
      'connection.password: must be text, not a number; put it in quotes',
      'connection.pasword: unknown key; did you mean "password"? The keys here are: url, username, password',
      'connection.password: is not a reference to a secret; write ${env:NAME} or ${file:/path}, with nothing around it',
      'connection.password: must be text, not a list; password of that user',
      'options.token: must be text, not a number; put it in quotes',
    ]);
  });

  it.each(['${HALL_3}', '${evn:HALL_3}', '${env:}', '${file:relative}', ' ${env:X}'])(
    'may not be an incomplete reference: %s',
    (password) => {
      expect(connected({ password })).toHaveLength(1);
    },
  );

  it.each(['${env:HALL_3}', '${file:/run/secrets/hall-3}', 'plain', '$HOME', 'a{b}'])('may be: %s', (password) => {
    expect(connected({ password })).toStrictEqual([]);
  });
});

describe('paths of secrets', () => {
  const platform = examplePlatforms[0];

  it('are those that the schemas mark and the source has', () => {
    const raw = { ...good, options: { database: 'plant', token: 't' } };
    expect(secretPaths(exampleKinds['user-credentials'], platform, raw)).toStrictEqual([
      'connection.password',
      'options.token',
    ]);
    expect(secretPaths(exampleKinds['user-credentials'], platform, { connection: { url: 'u' } })).toStrictEqual([]);
  });

  it('are all fields of a custom connection except its address', () => {
    const raw = { connection: { url: 'https://h', apiKey: 'k', 'x y': 'z' } };
    expect(secretPaths(exampleKinds.custom, platform, raw)).toStrictEqual(['connection.apiKey', 'connection["x y"]']);
  });

  it.each([null, 'text', ['text']])('are none in an input that is no mapping: %j', (raw) => {
    expect(secretPaths(undefined, undefined, raw)).toStrictEqual([]);
  });

  it('are whole blocks that are no mappings, but no empty values', () => {
    const raw = { connection: 'geheim', options: ['geheim', null, undefined] };
    expect(secretPaths(undefined, undefined, raw)).toStrictEqual(['connection', 'options[0]']);
  });

  it('are fields that one of several forms of a block marks', () => {
    const forms = z.union([z.strictObject({ key: z.string() }), z.strictObject({ key: secret('k') })]);
    expect(secretPaths(forms, undefined, { connection: { key: 'geheim' } })).toStrictEqual(['connection.key']);
  });

  it('are all values that no schema knows', () => {
    const raw = { name: 'n', connection: { url: 'u', deep: [{ er: 1 }] }, options: { zzz: true, database: 'd' } };
    expect(secretPaths(undefined, undefined, raw)).toStrictEqual([
      'connection.url',
      'connection.deep[0].er',
      'options.zzz',
      'options.database',
    ]);
    expect(secretPaths(exampleKinds['user-credentials'], platform, raw)).toStrictEqual([
      'connection.deep[0].er',
      'options.zzz',
    ]);
  });
});
