import { SECOND, formatInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Expected } from '../../../src/core/quote.ts';
import type { BackfillState } from '../../../src/source/backfill/state.ts';
import type { MonthReport } from './month.ts';

/** The report as three tables of text: troubles, sources and backfills. */
export function monthInTables({
  troubles,
  accounts,
  year,
  replay,
  repeats,
  busiestDay,
  told,
  refusedMessages,
}: MonthReport): string {
  return [
    inColumns([
      ['trouble', 'from', 'to', 'alert', 'began', 'ended', 'requests', 'late', 'revised'],
      ...troubles.map(({ trouble, raised, requests, late, revised }) => [
        trouble.what,
        short(trouble.from),
        short(trouble.to),
        trouble.alerts.join(', ') || '-',
        raised.map(({ openedAt }) => short(openedAt)).join(', ') || '-',
        raised.map(({ endedAt }) => short(endedAt)).join(', ') || '-',
        ...[requests, late, revised].map(String),
      ]),
    ]),
    inColumns([
      [
        'source',
        'truth',
        'stored',
        'refused',
        'refused still',
        'lost',
        'doubled',
        'wrong',
        'late',
        'revised',
        'requests',
        'busiest second',
      ],
      ...accounts.map((one) => [
        one.source,
        ...[
          one.truth,
          one.stored,
          one.refused,
          one.stillRefused,
          one.lost,
          one.doubled,
          one.wrong,
          one.late,
          one.revised,
          one.requests,
        ].map(String),
        `${one.busiestSecond} of ${one.allowed}`,
      ]),
    ]),
    inColumns([
      ['backfill', 'state', 'requests quoted', 'actual', 'readings quoted', 'actual', 'seconds quoted', 'actual'],
      backfillRow('the year', year),
      backfillRow('refused hours', replay),
      ...repeats.map((state, place) => backfillRow(`${place + 1} days again`, state)),
    ]),
    `busiest day of the archive: ${busiestDay.requests} requests of ${busiestDay.allowed}; changes told: ${told.length}; messages answered with 500: ${refusedMessages}`,
  ].join('\n\n');
}

function backfillRow(name: string, { state, quoted, work, createdAt, finishedAt }: BackfillState): string[] {
  const took = finishedAt === null ? '-' : String(Math.round((finishedAt - createdAt) / SECOND));
  return [
    name,
    state,
    range(quoted?.requests, String),
    String(work.requests),
    range(quoted?.readings, String),
    String(work.readings),
    range(quoted?.seconds ?? undefined, String),
    took,
  ];
}

const range = (expected: Expected | undefined, say: (value: number) => string): string =>
  expected === undefined ? '-' : `${say(expected.expected)} (${say(expected.least)} to ${say(expected.most)})`;

/** `10-07 01:10` */
const short = (at: Instant | null): string => (at === null ? '-' : formatInstant(at).slice(5, 16).replace('T', ' '));

function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
