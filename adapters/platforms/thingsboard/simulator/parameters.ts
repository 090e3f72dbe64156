import { badRequest } from './replies.ts';

/** A whole number from the query; 400 if it is missing without a default, below `least`, or anything else. */
export function wholeNumberParameter(
  query: URLSearchParams,
  name: string,
  least = -Infinity,
  byDefault?: number,
): number {
  const text = query.get(name) ?? byDefault?.toString() ?? '';
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
    throw badRequest(`Parameter ${name} must be a whole number of at least ${least}`);
  }
  return value;
}

/** One of the given words, by default the first; 400 if it is any other word. */
export function word<Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const text = query.get(name);
  if (text === null) return words[0];
  const found = words.find((candidate) => candidate === text);
  if (found === undefined) throw badRequest(`Parameter ${name} must be one of ${words.join(', ')}`);
  return found;
}
