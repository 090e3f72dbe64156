import { expect, it } from 'vitest';
import type { SourceLine } from '../../source/report.ts';
import { sourcesInWords } from './sources-in-words.ts';

const line = (state: SourceLine['state']): SourceLine =>
  ({
    state,
    lag: 0,
    overdue: 0,
    every: 1,
    streams: 1,
    failures: 0,
    fault: null,
    lookFault: null,
    allRefused: null,
  }) as SourceLine;
const many = [...Array<SourceLine>(1_001).fill(line('active')), line('stopped')];

it.each([
  [many, 1_002, 1_002, '1,002 sources: 1,001 well, 1 stopped'],
  [many, 1, 1, '1,002 sources: 1,001 well, 1 stopped; 1 matches'],
  [many, 1_001, 50, '1,002 sources: 1,001 well, 1 stopped; 1,001 match; 951 not shown (--limit)'],
  [[line('paused')], 1, 1, '1 source: 1 paused'],
])('the last line of a list', (all, matching, shown, words) => {
  expect(sourcesInWords(all, matching, shown)).toBe(words);
});
