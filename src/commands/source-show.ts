import { formatBytes } from '../core/bytes.ts';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { formatDuration } from '../core/duration.ts';
import { MILLISECOND, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { REFUSALS } from '../core/reading.ts';
import { formatWindow } from '../core/window.ts';
import { unknownSource } from '../source/unusable-source.ts';
import { refusalsByReason } from '../source/refusals.ts';
import { shownConfig } from '../source/shown-config.ts';
import { reportSource } from '../source/report.ts';
import type { FaultRecord, SourceReport, StreamReport, WindowReport } from '../source/report.ts';
import { registry, withContext } from '../context.ts';
import type { Cell } from '../terminal/output.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { instantOrNull, roughly, times } from '../terminal/words.ts';
import { helpBelow } from './help.ts';

type Refusals = Awaited<ReturnType<typeof refusalsByReason>>;

export function addSourceShow(source: Command): void {
  source
    .command('show <name>')
    .description('show a source: configuration, state, streams with coverage, last windows, refusals')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge source show hall-3', 'databridge source show hall-3 --json'] }),
    )
    .action(async (name: string, options: { json?: boolean }) => {
      await withContext({ patient: false }, async ({ database, clock }) => {
        const report = await reportSource(database, name);
        if (report === undefined) throw unknownSource(name);
        const refusals = await refusalsByReason(database, name);
        const config = shownConfig(report.config, registry);
        if (options.json) printJson(documentOf({ ...report, config }, refusals));
        else print({ ...report, config }, refusals, clock.now());
      });
    });
}

function print(report: SourceReport, refusals: Refusals, now: Instant): void {
  printLine(stringify(report.config).trimEnd());
  section('state');
  const ago = (instant: Instant | null): string => (instant === null ? 'never' : `${roughly(now - instant)} ago`);
  printLine(
    `${report.state}, ${report.failures} failures in a row; last poll ${ago(report.lastPollAt)}, last success ${ago(report.lastSuccessAt)}`,
  );
  const lag = report.lag === null ? '' : `${roughly(report.lag)} behind, `;
  const gaps = report.gaps ? 'with gaps' : 'without gaps';
  printLine(
    `${lag}${gaps}; ${report.readings24h} new readings in 24 h, ${report.requestsLastHour} requests in the last hour`,
  );
  if (report.nextDueAt !== null) printLine(`next poll due ${formatInstant(report.nextDueAt)}`);
  if (report.heldUntil !== null && report.heldUntil > now)
    printLine(`not asked before ${formatInstant(report.heldUntil)}`);
  if (report.outboxFullSince !== null)
    printLine(
      `not asked since ${formatInstant(report.outboxFullSince)}: the outbox of ${report.project} is full; databridge ingestion list shows why`,
    );
  printLine(paceInWords(report, now));
  if (report.fault !== null) printFault(report.fault);
  section(`streams, from ${formatInstant(report.startAt)} on`);
  for (const stream of report.streamReports) printStream(stream);
  if (report.streamReports.length === 0) printLine('none yet: the first poll looks up the sensors');
  section('last windows (ms: waiting for the pace, HTTP, normalising, storing)');
  if (report.windows.length === 0) printLine('none yet');
  else printLine(table(WINDOW_HEADING, report.windows.map(windowCells)));
  if (refusals.length === 0) return;
  section('refusals');
  for (const { reason, refused, examples } of refusals) {
    printLine(`${reason}, ${times(refused)}: ${REFUSALS[reason]}`);
    for (const { sensor, variable, at, raw } of examples)
      printLine(`  ${sensor} ${variable} ${instantOrNull(at) ?? ''} ${raw}`);
  }
}

const section = (title: string): void => printLine(`\n── ${title}`);

function paceInWords({ pace }: SourceReport, now: Instant): string {
  if (pace === null) return 'pace: no request yet';
  const silence = pace.holdUntil > now ? `, silent until ${formatInstant(pace.holdUntil)}` : '';
  return `pace: ${pace.leases.length} requests under way${silence}`;
}

function printFault(fault: FaultRecord): void {
  printLine(`last fault ${fault.at} ${fault.where ?? ''}: ${fault.code}: ${fault.message}`);
  if (fault.remedy !== undefined) printLine(`  try: ${fault.remedy}`);
  if (fault.page !== undefined) printLine(`  answer of the platform:\n${fault.page.replaceAll(/^/gm, '    ')}`);
}

function printStream(stream: StreamReport): void {
  const window =
    stream.window === null
      ? ''
      : `, windows of ${formatDuration(Math.round(stream.window / MILLISECOND) * MILLISECOND)}`;
  const history = stream.historyDueAt === null ? '' : ', older time is being filled';
  printLine(`${stream.key}: ${stream.sensors} ${stream.sensors === 1 ? 'sensor' : 'sensors'}${window}${history}`);
  const hidden = stream.ranges - stream.covered.length;
  if (hidden > 0) printLine(`  … ${hidden} older ranges`);
  for (const [from, to] of stream.covered) printLine(`  covered ${formatWindow({ from, to })}`);
  if (stream.retryAt !== null)
    printLine(`  waits until ${formatInstant(stream.retryAt)} after ${stream.failures} failures`);
  if (stream.fault !== null) printLine(`  ${stream.fault.code}: ${stream.fault.message}`);
}

const WINDOW_HEADING = [
  'stream',
  'lane',
  'asked',
  'window',
  'readings',
  'new',
  'refused',
  'late',
  'req',
  'bytes',
  'wait',
  'http',
  'norm',
  'store',
];

const windowCells = (window: WindowReport): Cell[] => [
  window.stream,
  window.lane,
  formatInstant(window.askedAt),
  formatWindow(window),
  window.readings,
  window.readings - window.duplicates,
  window.refused,
  window.late,
  window.requests,
  formatBytes(window.bytes),
  ...[window.waitedMs, window.httpMs, window.normaliseMs, window.storeMs].map(Math.round),
];

const documentOf = (
  { streamReports, windows, lag, ...report }: SourceReport,
  refusals: Refusals,
): Record<string, unknown> => ({
  ...report,
  every: formatDuration(report.every),
  lagSeconds: lag === null ? null : lag / SECOND,
  startAt: formatInstant(report.startAt),
  ...instants(report, ['heldUntil', 'outboxFullSince', 'nextDueAt', 'lastPollAt', 'lastSuccessAt']),
  streams: streamReports.map((stream) => ({
    ...stream,
    covered: stream.covered.map(([from, to]) => ({ from: formatInstant(from), to: formatInstant(to) })),
    window: stream.window === null ? null : formatDuration(Math.round(stream.window)),
    ...instants(stream, ['historyDueAt', 'retryAt']),
  })),
  windows: windows.map((window) => ({ ...window, ...instants(window, ['from', 'to', 'askedAt']) })),
  refusals: refusals.map(({ examples, ...counts }) => ({
    ...counts,
    examples: examples.map((example) => ({ ...example, at: instantOrNull(example.at) })),
  })),
});

/** The named instants of a record as text. */
const instants = <K extends string>(
  record: Readonly<Record<K, Instant | null>>,
  names: readonly K[],
): Record<string, string | null> => Object.fromEntries(names.map((name) => [name, instantOrNull(record[name])]));
