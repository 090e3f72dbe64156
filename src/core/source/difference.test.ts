import { describe, expect, it } from 'vitest';
import { describeDifference } from './difference.ts';

const version = (raw: unknown, ...secrets: string[]) => ({ raw, secrets });

describe('the difference of two versions', () => {
  it('is empty where both say the same, in any order of keys and sensors', () => {
    const raw = { name: 'a', sensors: [{ id: 'x' }, { id: 'y' }], connection: { password: 'p' } };
    const turned = { connection: { password: 'p' }, sensors: [{ id: 'y' }, { id: 'x' }], name: 'a' };
    expect(
      describeDifference(version(raw, 'connection.password'), version(turned, 'connection.password')),
    ).toStrictEqual([]);
  });

  it('names each changed field with its old and its new value', () => {
    const before = { schedule: { every: '10s', settle: '1m' }, mapping: { labels: ['a'] }, sensors: 'all' };
    const after = { schedule: { every: '5s' }, mapping: { labels: ['a', 'b'] }, sensors: [{ id: 'pump 1', as: 'p' }] };
    expect(describeDifference(version(before), version(after))).toStrictEqual([
      { path: 'schedule.every', before: '10s', after: '5s' },
      { path: 'schedule.settle', before: '1m', after: undefined },
      { path: 'mapping.labels', before: '["a"]', after: '["a","b"]' },
      { path: 'sensors', before: 'all', after: undefined },
      { path: 'sensors[pump 1].id', before: undefined, after: 'pump 1' },
      { path: 'sensors[pump 1].as', before: undefined, after: 'p' },
    ]);
  });

  it.each([
    [
      'have one id twice',
      [
        { id: 'x', as: 'p' },
        { id: 'x', as: 'q' },
      ],
      [
        { id: 'x', as: 'p' },
        { id: 'x', as: 'r' },
      ],
    ],
    ['have an id that is no text', [{ id: 1 }, { id: 2, as: 'q' }], [{ id: 1 }, { id: 2, as: 'r' }]],
    ['have an id in part', [{ id: 'x' }, { as: 'q' }], [{ id: 'x' }, { as: 'r' }]],
  ])('names the entries of a list by their position where they %s', (_, before, after) => {
    expect(describeDifference(version({ sensors: before }), version({ sensors: after }))).toStrictEqual([
      { path: 'sensors[1].as', before: 'q', after: 'r' },
    ]);
  });

  it('names fields and texts in lists of any form', () => {
    const before = { connection: { 'x y': 'a' }, options: [{ id: 'x' }, 'plain'] };
    const after = { connection: { 'x y': 'b' }, options: [{ id: 'x' }, 'other'] };
    expect(describeDifference(version(before), version(after))).toStrictEqual([
      { path: 'connection["x y"]', before: 'a', after: 'b' },
      { path: 'options[1]', before: 'plain', after: 'other' },
    ]);
  });

  it('hides secrets in lists, of mappings and among other texts', () => {
    const written = (key: string) => ({ options: { keys: [{ id: 'x', key }], headers: ['open', key] } });
    const secrets = ['options.keys[0].key', 'options.headers[1]'];
    expect(describeDifference(version(written('old'), ...secrets), version(written('new'), ...secrets))).toStrictEqual([
      { path: 'options.keys[x].key', before: '(secret)', after: '(secret changed)' },
      { path: 'options.headers', before: '(secret)', after: '(secret changed)' },
    ]);
  });

  it('never shows a secret', () => {
    const before = { connection: { password: 'old', gone: 'g' }, options: { tokens: ['a'] } };
    const after = { connection: { password: 'new', added: 'n' }, options: { tokens: ['b'] } };
    const difference = describeDifference(
      version(before, 'connection.password', 'connection.gone', 'options.tokens[0]'),
      version(after, 'connection.password', 'connection.added', 'options.tokens[0]'),
    );
    expect(difference).toStrictEqual([
      { path: 'connection.password', before: '(secret)', after: '(secret changed)' },
      { path: 'connection.gone', before: '(secret)', after: undefined },
      { path: 'options.tokens', before: '(secret)', after: '(secret changed)' },
      { path: 'connection.added', before: undefined, after: '(secret)' },
    ]);
  });

  it('hides a field that is a secret in only one of the two, as after a change of kind', () => {
    const [before, after] = [{ connection: { key: 'was open' } }, { connection: { key: 'is hidden' } }];
    expect(describeDifference(version(before), version(after, 'connection.key'))).toStrictEqual([
      { path: 'connection.key', before: '(secret)', after: '(secret changed)' },
    ]);
  });

  it('shows references, which hold no secret', () => {
    const [before, after] = [{ connection: { password: 'plain' } }, { connection: { password: '${env:P}' } }];
    const secret = 'connection.password';
    expect(describeDifference(version(before, secret), version(after, secret))).toStrictEqual([
      { path: secret, before: '(secret)', after: '${env:P}' },
    ]);
  });
});
