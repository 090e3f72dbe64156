import { formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import type { ReasonSum, RefusalSum } from '../../core/kept-refusals.ts';
import { REFUSALS } from '../../core/reading.ts';
import { remedyOf } from '../../core/refusal-remedies.ts';
import type { RemedyReader } from '../../core/refusal-remedies.ts';
import { fittingTable } from '../../terminal/fitting.ts';
import type { ShownColumn } from '../../terminal/fitting.ts';
import { printLine } from '../../terminal/output.ts';
import { grouped, widthOf, wrapped } from '../../terminal/words.ts';

/** To the second; `--json` has the microseconds. */
const second = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant).slice(0, 19).replace('T', ' ');

const COLUMNS: readonly ShownColumn<RefusalSum>[] = [
  { title: 'refused', cell: ({ refused }) => refused },
  { title: 'first', cell: ({ first }) => second(first), least: 11 },
  { title: 'last', cell: ({ last }) => second(last), least: 11 },
  { title: 'sensor', cell: ({ sensor }) => sensor, least: 10 },
  { title: 'variable', cell: ({ variable }) => variable, least: 8 },
  { title: 'value', cell: ({ examples }) => examples.map(({ raw }) => raw).join(', '), least: 6, drop: 1 },
];

const counted = (count: number, one: string, more: string): string => `${grouped(count)} ${count === 1 ? one : more}`;

/** Prints refused points reason by reason: how many, the meaning, and a row for each variable that is listed. */
export function printRefusalSums({
  series,
  reasons,
  reader,
}: {
  readonly series: readonly RefusalSum[];
  readonly reasons: readonly ReasonSum[];
  readonly reader: RemedyReader;
}): void {
  if (reasons.length === 0) printLine('nothing is refused');
  for (const [index, sum] of reasons.entries()) {
    const listed = series.filter(({ reason }) => reason === sum.reason);
    if (index > 0) printLine();
    printLine(
      `${sum.reason}: ${counted(sum.refused, 'point', 'points')} of ${counted(sum.series, 'variable', 'variables')}`,
    );
    printLine(wrapped(REFUSALS[sum.reason], '  '));
    printLine(wrapped(`try: ${remedyOf(sum.reason, reader)}`, '  '));
    if (listed.length > 0) printLine(`\n${fittingTable(COLUMNS, listed, widthOf(process.stdout))}`);
    const hidden = sum.series - listed.length;
    if (hidden > 0) printLine(`${counted(hidden, 'more variable', 'more variables')}: --limit`);
  }
}
