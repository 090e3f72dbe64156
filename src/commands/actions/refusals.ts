import { formatInstant, instantOrNull } from '../../core/instant.ts';
import { refusalsDocument } from '../../core/kept-refusals.ts';
import type { RefusalReason } from '../../core/reading.ts';
import { reasonsOfSources, refusalsOfSources } from '../../source/refusals-of-all.ts';
import type { RefusalOfSource } from '../../source/refusals-of-all.ts';
import { withContext } from '../../context.ts';
import { fittingTable } from '../../terminal/fitting.ts';
import type { ShownColumn } from '../../terminal/fitting.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { grouped, widthOf } from '../../terminal/words.ts';

interface Options {
  readonly source?: string;
  readonly project?: string;
  readonly reason?: RefusalReason;
  readonly sensor?: string;
  readonly organisation?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const COLUMNS: readonly ShownColumn<RefusalOfSource>[] = [
  { title: 'refused', cell: ({ refused }) => refused },
  { title: 'reason', cell: ({ reason }) => reason, least: 10 },
  { title: 'source', cell: ({ source }) => source, least: 10 },
  { title: 'sensor', cell: ({ sensor }) => sensor, least: 10 },
  { title: 'variable', cell: ({ variable }) => variable, least: 8 },
  {
    title: 'last',
    cell: ({ last }) => (last === null ? null : formatInstant(last).slice(0, 16).replace('T', ' ')),
    least: 11,
    drop: 1,
  },
  { title: 'organisation', cell: ({ organisation }) => organisation, least: 8, drop: 2 },
];

/** `refusals`. */
export async function refusals({ limit, json, organisation, ...choice }: Options): Promise<void> {
  const wanted = { ...choice, organisations: organisation === undefined ? undefined : [organisation] };
  const { reasons, items } = await withContext(async ({ database }) => ({
    reasons: await reasonsOfSources(database, wanted),
    items: await refusalsOfSources(database, wanted, { limit }),
  }));
  if (json) {
    printJson({
      reasons: refusalsDocument({ reasons, series: [] }, 'operator').reasons,
      items: items.map((one) => ({ ...one, first: instantOrNull(one.first), last: instantOrNull(one.last) })),
    });
    return;
  }
  if (reasons.length === 0) {
    printLine('nothing is refused');
    return;
  }
  for (const sum of reasons) {
    printLine(`${sum.reason}: ${grouped(sum.refused)} points of ${grouped(sum.series)} variables`);
  }
  printLine(`\n${fittingTable(COLUMNS, items, widthOf(process.stdout))}`);
  const hidden = reasons.reduce((series, sum) => series + sum.series, 0) - items.length;
  if (hidden > 0) printLine(`${grouped(hidden)} more: --limit`);
}
