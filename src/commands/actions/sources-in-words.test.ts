import { expect, it } from 'vitest';
import { sourcesInWords } from './sources-in-words.ts';

const many = { stopped: 1, well: 1_001 };

it.each([
  [many, 1_002, 1_002, '1,002 sources: 1,001 well, 1 stopped'],
  [many, 1, 1, '1,002 sources: 1,001 well, 1 stopped; 1 matches'],
  [many, 1_001, 50, '1,002 sources: 1,001 well, 1 stopped; 1,001 match; 951 not shown (--limit)'],
  [{ paused: 1 }, 1, 1, '1 source: 1 paused'],
])('the last line of a list', (counts, matching, shown, words) => {
  expect(sourcesInWords(counts, matching, shown)).toBe(words);
});
