import { formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import type { OfProject, RefusalSum, RefusalSums } from '../../core/kept-refusals.ts';
import { REFUSALS } from '../../core/reading.ts';
import { remedyOf } from '../../core/refusal-remedies.ts';
import type { RemedyReader } from '../../core/refusal-remedies.ts';
import { fittingTable } from '../../terminal/fitting.ts';
import type { ShownColumn } from '../../terminal/fitting.ts';
import { printLine } from '../../terminal/output.ts';
import { grouped, widthOf, wrapped } from '../../terminal/words.ts';
import { parseTime } from '../options.ts';

/** To the second; `--json` has the microseconds. */
const second = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant).slice(0, 19).replace('T', ' ');

type Row = RefusalSum & Partial<OfProject>;

const COLUMNS: readonly ShownColumn<Row>[] = [
  { title: 'first', cell: ({ first }) => second(first), least: 11 },
  { title: 'last', cell: ({ last }) => second(last), least: 11 },
  { title: 'sensor', cell: ({ sensor }) => sensor, least: 10 },
  { title: 'variable', cell: ({ variable }) => variable, least: 8 },
  { title: 'value', cell: ({ examples }) => examples.map(({ raw }) => raw).join(', '), least: 6, drop: 1 },
];

const counted = (count: number, one: string, more: string): string => `${grouped(count)} ${count === 1 ? one : more}`;

/**
 * Prints refused points reason by reason: how many, the meaning, the remedy for the reader, and a row for each variable that is
 * listed. For a pusher the rows count the readings that are kept.
 */
export function printRefusalSums({ series, reasons }: RefusalSums, reader: RemedyReader): void {
  if (reasons.length === 0) printLine('nothing is refused');
  const pushed = reader === 'pusher';
  const count: ShownColumn<Row> = { title: pushed ? 'kept' : 'refused', cell: ({ refused }) => refused };
  const project: ShownColumn<Row> = { title: 'project', cell: (row) => row.project, least: 8, drop: 2 };
  const columns = [count, ...COLUMNS.slice(0, 2), ...(pushed ? [project] : []), ...COLUMNS.slice(2)];
  for (const [index, sum] of reasons.entries()) {
    const listed = series.filter(({ reason }) => reason === sum.reason);
    if (index > 0) printLine();
    const points = pushed ? counted(sum.refused, 'reading', 'readings') : counted(sum.refused, 'point', 'points');
    printLine(`${sum.reason}: ${points} of ${counted(sum.series, 'variable', 'variables')}`);
    printLine(wrapped(REFUSALS[sum.reason], '  '));
    printLine(wrapped(`try: ${remedyOf(sum.reason, reader)}`, '  '));
    if (listed.length > 0) printLine(`\n${fittingTable(columns, listed, widthOf(process.stdout))}`);
    const hidden = sum.series - listed.length;
    if (hidden > 0) printLine(`${counted(hidden, 'more variable', 'more variables')}: --limit`);
  }
}

/** The bounds that the options of a command name. */
export const boundsOf = (options: { readonly from?: string; readonly to?: string }, now: Instant) => ({
  from: options.from === undefined ? undefined : parseTime(options.from, now, '--from'),
  to: options.to === undefined ? undefined : parseTime(options.to, now, '--to'),
});
