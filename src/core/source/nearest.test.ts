import { describe, expect, it } from 'vitest';
import { nearest, suggest } from './nearest.ts';

describe('the nearest choice', () => {
  const keys = ['url', 'username', 'password', 'clientId', 'requestsPerSecond'];

  it.each([
    ['pasword', 'password'],
    ['passwrod', 'password'],
    ['user', 'username'],
    ['client_id', 'clientId'],
    ['CLIENTID', 'clientId'],
    ['requests-per-second', 'requestsPerSecond'],
    ['ulr', 'url'],
    ['urk', 'url'],
  ])('to %s is %s', (word, meant) => {
    expect(nearest(word, keys)).toBe(meant);
  });

  it.each(['', 'x', 'zebra', 'tag', 'a'.repeat(10_000)])('is undefined where no choice is near', (word) => {
    expect(nearest(word, keys)).toBeUndefined();
  });

  it.each([
    ['a word of two letters', 'ab', ['ba', 'xy'], 'ba'],
    ['a word with two slips in six letters', 'abcdef', ['abXXef'], 'abXXef'],
    ['no word with three slips in six letters', 'abcdef', ['aXXXef'], undefined],
    ['no word that differs in both of its letters', 'ab', ['xy'], undefined],
    ['two neighbours that were swapped as one slip', 'abc', ['acb'], 'acb'],
    ['letters that were swapped and are no neighbours as two', 'abc', ['cba'], undefined],
    ['letters of which one only looks swapped as two', 'abcd', ['acxd'], undefined],
    ['letters of which the other only looks swapped as two', 'abcd', ['axbd'], undefined],
    ['no choice of one letter for a word without letters', '-', ['x', 'y'], undefined],
    ['the first of choices that are as near', 'abc', ['abx', 'aby'], 'abx'],
    ['a later choice that is nearer', 'abcdef', ['abXXef', 'abXdef'], 'abXdef'],
    ['a choice that begins with the word', 'pre', ['other', 'prefixed'], 'prefixed'],
    ['a choice that the word begins with', 'prefixed', ['other', 'pre'], 'pre'],
    ['no choice that begins with two letters', 'pr', ['prefixed'], undefined],
    ['no choice that ends with the word', 'fixed', ['unprefixed'], undefined],
    ['a word of 64 letters', `${'a'.repeat(63)}b`, ['a'.repeat(64)], 'a'.repeat(64)],
    ['no word of 65 letters', 'a'.repeat(65), ['a'.repeat(64)], undefined],
    ['a slip at the end', 'passworx', ['password'], 'password'],
    ['a missing letter at the end', 'passwor', ['xxxxxxx', 'password'], 'password'],
  ])('takes %s', (_what, word, choices, meant) => expect(nearest(word, choices)).toBe(meant));
});

describe('the suggestion', () => {
  it.each([
    ['pasword', ['password', 'url'], 'did you mean "password"? The fields are: password, url'],
    ['zebra', ['password', 'url'], 'the fields are: password, url'],
    ['zebra', [], ''],
  ])('for %s among %j', (word, choices, suggestion) =>
    expect(suggest(word, choices, 'the fields are')).toBe(suggestion),
  );
});
