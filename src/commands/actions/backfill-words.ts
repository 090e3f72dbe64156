import { counted } from '../../core/counted.ts';
import { MILLISECOND, SECOND } from '../../core/instant.ts';
import type { Expected, Quote } from '../../core/quote.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { backfillDocument } from '../../source/backfill/state.ts';
import type { quoteDocument } from '../../source/backfill/quote.ts';
import type { SourceName } from '../../core/source/source-name.ts';
import { EXIT, printJson, printLine, printTable } from '../../terminal/output.ts';
import { grouped, roughly } from '../../terminal/words.ts';

/** A backfill as this bridge and one elsewhere give it. */
export type BackfillDocument = ReturnType<typeof backfillDocument>;

/** A quote as this bridge and one elsewhere give it. */
export type QuoteDocument = ReturnType<typeof quoteDocument>;

export const BACKFILL_HEADING = ['id', 'organisation', 'source', 'from', 'to', 'what', 'state', 'done'];

export const backfillCells = (one: BackfillDocument): (string | number)[] => [
  one.id,
  one.organisation,
  one.source,
  one.from,
  one.to,
  one.what,
  one.state,
  percent(one.share),
];

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const titleIn = ({ source, organisation }: { source: string; organisation: string }): string =>
  titleOf({ name: source, organisation });

/** What a backfill is asked to do, where that is not the usual. */
const wishOf = ({ what, order, requestsPerDay, sensors }: BackfillDocument): string =>
  [
    what === 'missing' ? '' : `${what} time`,
    order === 'newest' ? 'newest first' : '',
    requestsPerDay === null ? '' : `at most ${grouped(requestsPerDay)} requests a day`,
    sensors === null ? '' : counted(sensors.length, 'sensor'),
  ]
    .filter(Boolean)
    .join(', ');

/** Prints a backfill: one line, then what it waits for, its speed and its errors; quoted and actual figures where they are known. */
export function printBackfill(one: BackfillDocument): void {
  const wish = wishOf(one);
  printLine(
    `backfill ${one.id} of ${titleIn(one)}, ${one.from} to ${one.to}${wish === '' ? '' : ` (${wish})`}: ${one.state}, ` +
      `${percent(one.share)} covered, ${counted(one.readings, 'reading')} read${one.unreadable > 0 && one.state === 'running' ? `; ${counted(one.unreadable, 'stretch', 'stretches')} of it cannot be read (databridge source show)` : ''}`,
  );
  if (one.waits !== null) printLine(`waits: ${one.waits}`);
  const left = leftOf(one);
  if (left !== undefined)
    printLine(`speed: ${grouped(Math.round(one.speed?.readingsPerSecond ?? 0))} readings a second, ${left}`);
  for (const error of one.errors) printLine(`error: ${error}`);
  if (one.overload !== null) printLine(`${one.overload.message}\n  try: ${one.overload.remedy}`);
  if (one.quoted !== null && one.work.requests > 0) {
    printLine();
    printTable(['', 'quoted', one.state === 'done' ? 'actual' : 'so far'], quotedRows(one, one.quoted));
  }
}

const quotedRows = (one: BackfillDocument, quoted: Quote): string[][] => [
  ['windows', grouped(quoted.windows), grouped(one.work.windows)],
  ['requests', between(quoted.requests, grouped), grouped(one.work.requests)],
  ['readings', between(quoted.readings, grouped), grouped(one.work.readings)],
  ['bytes', between(quoted.bytes, bytes), bytes(one.work.bytes)],
  [
    'time',
    quoted.seconds === null ? 'never' : between(quoted.seconds, lasting),
    one.tookSeconds === null ? '' : lasting(one.tookSeconds),
  ],
];

/** `about 3h left (2h to 5h)`; undefined where it does not run. */
export function leftOf({ speed }: BackfillDocument): string | undefined {
  if (speed === null) return undefined;
  const { leftSeconds: left } = speed;
  if (left === null) return 'no estimate yet';
  return `about ${lasting(left.expected)} left (${lasting(left.least)} to ${lasting(left.most)})`;
}

const lasting = (seconds: number): string => roughly(Math.ceil(seconds * 1000) * MILLISECOND);

/** Bytes in the unit that leaves one to three digits before the point. */
function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const place = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3));
  const scaled = count / 1000 ** place;
  return `${scaled < 10 && place > 0 ? scaled.toFixed(1) : Math.round(scaled)} ${units[place] ?? ''}`;
}

const between = ({ expected, least, most }: Expected, text: (value: number) => string): string =>
  least === most ? text(expected) : `${text(expected)} (${text(least)} to ${text(most)})`;

/** Prints what a backfill would take. */
export function printQuote(quote: QuoteDocument): void {
  printLine(`a backfill of ${titleIn(quote)}, ${quote.from} to ${quote.to}`);
  if (quote.windows === 0) {
    printLine('  nothing of it is wanted: a backfill would be done at once');
    return;
  }
  const { seconds } = quote;
  const rows = [
    [
      'asks for',
      `${roughly(quote.timeSeconds * SECOND)} of ${counted(quote.streams, 'stream')}, in ${counted(quote.windows, 'window')}`,
    ],
    ['requests', between(quote.requests, grouped)],
    ['readings', quote.basis === 0 ? 'nothing is known of the data yet' : between(quote.readings, grouped)],
    ['bytes', quote.basis === 0 ? 'nothing is known of the data yet' : between(quote.bytes, bytes)],
    [
      'takes',
      seconds === null
        ? 'for ever: live polls and quiet hours leave no request to it'
        : `${between(seconds, lasting)}, at the ${short(quote.requestsPerSecond)} requests a second that live polls leave`,
    ],
    ['live polls', `wait at most ${lasting(quote.liveWaitSeconds)} longer for a request`],
    [
      'shown by',
      quote.basis === 0
        ? 'no window yet; each is taken for a request'
        : `${grouped(quote.basis)} windows of the last 30 days`,
    ],
  ];
  for (const [name = '', text = ''] of rows) printLine(`  ${name.padEnd(11)}${text}`);
  if (quote.besides.length > 0)
    printLine(`  ${'shares'.padEnd(11)}its work with backfill ${quote.besides.join(', ')}, which has time of it, too`);
}

const short = (value: number): string => String(Number(value.toPrecision(2)));

/** What became of one source where backfills of all were started. */
export interface StartedBackfill {
  readonly organisation: string;
  readonly source: string;
  readonly backfill: number | null;
  /** Why none was started. */
  readonly fault: string | null;
}

/** Prints what became of all sources. The exit code is 1 where one has no backfill. */
export function printStarted(rows: readonly StartedBackfill[], { json = false }: { readonly json?: boolean }): void {
  const failed = rows.filter(({ fault }) => fault !== null).length;
  if (failed > 0) process.exitCode = EXIT.failed;
  if (json) return printJson(rows);
  if (rows.length === 0) return printLine('no active sources');
  printTable(
    ['organisation', 'source', 'backfill'],
    rows.map((row) => [row.organisation, row.source, row.fault ?? row.backfill]),
  );
  printLine(`\n${counted(rows.length - failed, 'backfill')} started; databridge backfill list shows them`);
}

/** What `refusals replay` says where it has nothing to do. */
export function printNothingRefused(source: SourceName, json: boolean): void {
  if (json) printJson(null);
  else printLine(`nothing of ${titleOf(source)} is refused`);
}
