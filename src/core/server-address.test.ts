import { expect, test } from 'vitest';
import { databaseServers, redisServers, withFiles } from './server-address.ts';

test('a secret in a file is encoded for the address, without the line break at its end', () => {
  const read = (path: string): string => (path === '/run/secrets/pg' ? 'a/b@c \n' : 'no');
  expect(withFiles('postgres://bridge:${file:/run/secrets/pg}@db/bridge', read)).toBe(
    'postgres://bridge:a%2Fb%40c%20@db/bridge',
  );
  expect(withFiles('redis://db:6379', read)).toBe('redis://db:6379');
});

test.each<[text: string, addresses: readonly string[] | undefined, primary?: boolean]>([
  ['postgres://u:p@a:5432/x', ['postgres://u:p@a:5432/x'], false],
  ['/var/run/postgresql bridge', ['/var/run/postgresql bridge'], false],
  ['postgres:///bridge?host=/run/a,b', ['postgres:///bridge?host=/run/a,b'], false],
  ['postgres://a/x?target_session_attrs=read-write', ['postgres://a/x'], true],
  ['postgres://a/x?target_session_attrs=primary&sslmode=require', ['postgres://a/x?sslmode=require'], true],
  [
    'postgresql://u:${file:/s/p}@a:5432,b:5433/x?sslmode=verify-full&target_session_attrs=read-write',
    [
      'postgresql://u:${file:/s/p}@a:5432/x?sslmode=verify-full',
      'postgresql://u:${file:/s/p}@b:5433/x?sslmode=verify-full',
    ],
    true,
  ],
  ['postgres://u:p,q@a,[::1]:5433', ['postgres://u:p,q@a', 'postgres://u:p,q@[::1]:5433'], true],
  ['postgres://a,b/x?target_session_attrs=standby', undefined],
  ['postgres://a,b/x?target_session_attrs=any', undefined],
  ['postgres://a,,b/x', undefined],
])('the database %s', (text, addresses, primary) => {
  expect(databaseServers(text)).toEqual(addresses && { addresses, primary });
});

test.each<[text: string, found: ReturnType<typeof redisServers>]>([
  ['redis://a:6379/2', { kind: 'one', addresses: ['redis://a:6379/2'], master: '', ca: undefined }],
  ['/run/redis.sock', { kind: 'one', addresses: ['/run/redis.sock'], master: '', ca: undefined }],
  [
    'rediss://a:6379?sslrootcert=/etc/ca.pem',
    { kind: 'one', addresses: ['rediss://a:6379'], master: '', ca: '/etc/ca.pem' },
  ],
  [
    'rediss://a:1?sslrootcert=/ca.pem,rediss://b:2?sslrootcert=/ca.pem',
    { kind: 'cluster', addresses: ['rediss://a:1', 'rediss://b:2'], master: '', ca: '/ca.pem' },
  ],
  [
    'redis+sentinel://:${file:/s/p}@a:26379,b:26379/plant/1',
    {
      kind: 'sentinel',
      addresses: ['redis://:${file:/s/p}@a:26379/1', 'redis://:${file:/s/p}@b:26379/1'],
      master: 'plant',
      ca: undefined,
    },
  ],
  ['redis+sentinel://a:26379', undefined],
  ['redis+sentinel://a,,b/plant', undefined],
  ['http://a:6379', undefined],
  ['redis://a,b:6380', undefined],
])('the Redis %s', (text, found) => {
  expect(redisServers(text)).toEqual(found);
});
