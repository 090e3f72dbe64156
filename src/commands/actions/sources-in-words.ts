import { counted } from '../../core/counted.ts';
import { countConditions } from '../../source/condition.ts';
import type { SourceLine } from '../../source/report.ts';
import { grouped } from '../../terminal/words.ts';

/** The last line of a list: `1,002 sources: 998 well, 3 failing, 1 stopped`, and how many of those that match are shown. */
export function sourcesInWords(all: readonly SourceLine[], matching: number, shown: number): string {
  const counts = countConditions(all).map(([condition, count]) => `${grouped(count)} ${condition}`);
  const sources = `${counted(all.length, 'source')}: ${counts.join(', ')}`;
  const matches = matching === all.length ? '' : `; ${grouped(matching)} ${matching === 1 ? 'matches' : 'match'}`;
  return `${sources}${matches}${shown === matching ? '' : `; ${grouped(matching - shown)} not shown (--limit)`}`;
}
