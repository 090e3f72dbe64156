import { describe, expect, it } from 'vitest';
import { movedFields } from './place.ts';

const PATHS = ['connection.url', 'options.database', 'options.policy'];

const source = (url: string, options: Readonly<Record<string, unknown>> = {}) => ({ connection: { url }, options });

describe('fields that say where the data is', () => {
  it.each([
    ['http://historian.example:80/api/', 'http://HISTORIAN.example/api'],
    ['https://historian.example', 'HTTPS://historian.example:443//'],
  ])('are equal in two notations of one address: %s and %s', (one, other) => {
    expect(movedFields(PATHS, source(one), source(other))).toEqual([]);
  });

  it.each([
    ['http://historian.example', 'https://historian.example'],
    ['http://historian.example', 'http://historian.example:8086'],
    ['http://historian.example/a', 'http://historian.example/A'],
    ['http://historian.example/a', 'http://historian.example/b'],
    ['http://historian.example/a?site=north', 'http://historian.example/a?site=south'],
  ])('differ in two addresses: %s and %s', (one, other) => {
    expect(movedFields(PATHS, source(one), source(other))).toEqual([{ path: 'connection.url', byText: false }]);
  });

  it.each([
    ['opc.tcp://historian.example/a', 'opc.tcp://historian.example/a/'],
    ['plant:http://a.example', 'plant:http://a.example/'],
    ['http://', 'http:///'],
    [5, 6],
    [undefined, ''],
  ])('differ where they are no web addresses and differ in any character: %j and %j', (one, other) => {
    const [before, after] = [one, other].map((database) => source('http://a.example', { database }));
    expect(movedFields(PATHS, before, after)).toEqual([{ path: 'options.database', byText: false }]);
  });

  it('are compared one by one, and other fields are not compared', () => {
    const before = source('http://a.example', { database: 'plant', chunk: 1 });
    const after = source('http://a.example', { database: 'Plant', policy: 'week', chunk: 2 });
    expect(movedFields(PATHS, before, after)).toEqual([
      { path: 'options.database', byText: false },
      { path: 'options.policy', byText: false },
    ]);
  });

  it('are equal in two orders of the keys of a block, and differ in the order of a list', () => {
    const [one, other, turned] = [
      { path: '/a', query: { site: 'north', limit: '5' }, body: [1, { c: 2, d: [3] }] },
      { body: [1, { d: [3], c: 2 }], query: { limit: '5', site: 'north' }, path: '/a' },
      { path: '/a', query: { site: 'north', limit: '5' }, body: [{ c: 2, d: [3] }, 1] },
    ].map((database) => source('http://a.example', { database }));
    expect(movedFields(PATHS, one, other)).toEqual([]);
    expect(movedFields(PATHS, one, turned)).toEqual([{ path: 'options.database', byText: false }]);
  });

  it('are compared by their text where they are references', () => {
    const [one, other] = ['${env:PLANT}', '${env:HALL}'].map((database) => source('http://a.example', { database }));
    expect(movedFields(PATHS, one, one)).toEqual([]);
    expect(movedFields(PATHS, one, other)).toEqual([{ path: 'options.database', byText: true }]);
    expect(movedFields(PATHS, one, source('http://a.example', { database: 'plant' }))).toMatchObject([
      { byText: true },
    ]);
  });
});
