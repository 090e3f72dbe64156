import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

describe('the lifetimes of tokens', () => {
  it('have defaults, and an empty variable counts as not set', () => {
    const tokens = {
      tokenMinSeconds: 300,
      tokenMaxSeconds: 3600,
      refreshTokenDays: 30,
      refreshTokenMostDays: 365,
      tokenIssuer: 'databridge',
    };
    expect(readSettings({})).toMatchObject(tokens);
    expect(readSettings({ DATABRIDGE_TOKEN_MAX_SECONDS: '' })).toMatchObject(tokens);
  });

  it.each([
    [{ DATABRIDGE_TOKEN_MIN_SECONDS: '4000' }, 'DATABRIDGE_TOKEN_MIN_SECONDS'],
    [{ DATABRIDGE_TOKEN_MAX_SECONDS: '299' }, 'DATABRIDGE_TOKEN_MIN_SECONDS'],
    [{ DATABRIDGE_TOKEN_MAX_SECONDS: '86401' }, 'DATABRIDGE_TOKEN_MAX_SECONDS'],
    [{ DATABRIDGE_TOKEN_MIN_SECONDS: '0' }, 'DATABRIDGE_TOKEN_MIN_SECONDS'],
    [{ DATABRIDGE_REFRESH_TOKEN_DAYS: '1.5' }, 'DATABRIDGE_REFRESH_TOKEN_DAYS'],
  ])('%o is refused, naming the variable', (environment, name) => {
    expect(() => readSettings(environment)).toThrow(name);
  });

  it('may have the same minimum and maximum', () => {
    const same = { DATABRIDGE_TOKEN_MIN_SECONDS: '60', DATABRIDGE_TOKEN_MAX_SECONDS: '60' };
    expect(readSettings(same)).toMatchObject({ tokenMinSeconds: 60, tokenMaxSeconds: 60 });
  });
});

describe('the hosts that platforms may be asked at', () => {
  const hosts = (text?: string) =>
    readSettings(text === undefined ? {} : { DATABRIDGE_EGRESS_HOSTS: text }).egress.allowHosts;

  it('are any without the setting, otherwise those of the list', () => {
    expect(hosts()).toBeUndefined();
    expect(hosts('')).toBeUndefined();
    expect(hosts('historian.plant, *.cloud.example,10.0.0.5 ,fd00::5')).toEqual([
      'historian.plant',
      '*.cloud.example',
      '10.0.0.5',
      'fd00::5',
    ]);
  });

  it.each([',', 'a,', 'https://historian.plant', 'historian.plant:8086', '10.0.0.0/8', '*'])(
    '%o is refused, naming the variable',
    (text) => expect(() => hosts(text)).toThrow('DATABRIDGE_EGRESS_HOSTS'),
  );
});

describe('the proxy to platforms', () => {
  const proxy = (url: string, exceptions = '') =>
    readSettings({ DATABRIDGE_EGRESS_PROXY: url, DATABRIDGE_EGRESS_NO_PROXY: exceptions }).egress.proxy;

  it('has an address and exceptions', () => {
    expect(proxy('')).toBeUndefined();
    expect(proxy('http://proxy.plant:3128')).toEqual({ url: 'http://proxy.plant:3128', exceptions: [] });
    const exceptions = ['*', '.plant', '*.plant', 'plant:8086', '10.0.0.0/8', 'fd00::/8', '[fd00::5]:443'];
    expect(proxy('https://bridge:p%40ss@10.0.0.1', exceptions.join(', '))).toEqual({
      url: 'https://bridge:p%40ss@10.0.0.1',
      exceptions,
    });
  });

  it.each(['proxy.plant:3128', 'socks5://proxy.plant', 'http://proxy.plant/path', 'http://', 'http://p?x=1'])(
    '%o is refused, naming the variable',
    (url) => expect(() => proxy(url)).toThrow('DATABRIDGE_EGRESS_PROXY'),
  );

  it.each(['http://plant', 'a b', 'plant/path'])('%o is refused as an exception', (exceptions) =>
    expect(() => proxy('http://proxy.plant', exceptions)).toThrow('DATABRIDGE_EGRESS_NO_PROXY'),
  );
});

describe('the place of the archive', () => {
  const key = { DATABRIDGE_ARCHIVE_KEY_ID: 'id', DATABRIDGE_ARCHIVE_SECRET: 'secret' };
  const archive = (place: string, more: Record<string, string> = key) =>
    readSettings({ DATABRIDGE_HOME: '/home', DATABRIDGE_ARCHIVE: place, ...more }).archive;

  it('is a directory, or a bucket with a local directory', () => {
    expect(archive('/srv/readings', {})).toMatchObject({ directory: '/srv/readings', bucket: undefined });
    expect(archive('s3://plants')).toMatchObject({
      directory: '/home/archive',
      bucket: { name: 'plants', prefix: '' },
    });
    expect(archive('s3://plants/a/b/')).toMatchObject({ bucket: { prefix: 'a/b', endpoint: undefined } });
    expect(archive('s3://plants', { ...key, DATABRIDGE_ARCHIVE_LOCAL: '/fast' })?.directory).toBe('/fast');
  });

  it.each(['readings', 's3://', 's3://Plants', 's3://plants//a', 's3://plants/a?b', 'https://plants/a'])(
    'is not %s',
    (place) => {
      expect(() => archive(place)).toThrow('DATABRIDGE_ARCHIVE: is neither');
    },
  );

  it.each(['DATABRIDGE_ARCHIVE_KEY_ID', 'DATABRIDGE_ARCHIVE_SECRET'])('needs %s with a bucket', (name) => {
    expect(() => archive('s3://plants', { ...key, [name]: '' })).toThrow(`${name}: is not set`);
  });

  it.each(['store.example', 'ftp://store.example', 'https://key:secret@store.example'])(
    'has no endpoint %s',
    (DATABRIDGE_ARCHIVE_ENDPOINT) => {
      expect(() => archive('s3://plants', { ...key, DATABRIDGE_ARCHIVE_ENDPOINT })).toThrow('ENDPOINT');
    },
  );
});
