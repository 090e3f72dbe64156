import { counted } from '../../core/counted.ts';
import type { ConditionCounts } from '../../source/condition.ts';
import { grouped } from '../../terminal/words.ts';

/** How many sources there are. */
export const sumOfSources = (counts: ConditionCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The last line of a list: `1,002 sources: 998 well, 3 failing, 1 stopped`, and how many of those that match are shown. */
export function sourcesInWords(counts: ConditionCounts, matching: number, shown: number): string {
  const all = sumOfSources(counts);
  const inWords = Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([condition, count]) => `${grouped(count)} ${condition}`);
  const sources = `${counted(all, 'source')}: ${inWords.join(', ')}`;
  const matches = matching === all ? '' : `; ${grouped(matching)} ${matching === 1 ? 'matches' : 'match'}`;
  return `${sources}${matches}${shown === matching ? '' : `; ${grouped(matching - shown)} not shown (--limit)`}`;
}
