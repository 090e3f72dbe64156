import { counted } from '../../core/counted.ts';
import { formatBytes } from '../../core/bytes.ts';
import { Document, isSeq, stringify } from 'yaml';
import { formatDuration } from '../../core/duration.ts';
import { MILLISECOND, formatInstant, instantOrNull } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { clockTrouble } from '../../core/platform-clock.ts';
import { REQUEST_KINDS } from '../../core/request-counts.ts';
import type { HourOfRequests } from '../../core/request-counts.ts';
import { messageOf, remedyOf } from '../../core/refusal-remedies.ts';
import { isMapping } from '../../core/source/path.ts';
import { formatWindow } from '../../core/window.ts';
import { allRefusedInWords } from '../../source/all-refused.ts';
import { findSource } from '../../source/find-source.ts';
import type { FoundSource } from '../../source/find-source.ts';
import { showSource, sourceDocument } from '../../source/showing.ts';
import type { ShownSource, ShownStream } from '../../source/showing.ts';
import { ownerInWords, ownerRemedy } from '../../source/take-over.ts';
import type { OwnedElsewhere } from '../../source/take-over.ts';
import { allowedPerHour, measuredOverload } from '../../source/demand.ts';
import type { FaultRecord, SourceReport } from '../../source/report.ts';
import type { WindowReport } from '../../source/window-log.ts';
import { withContext } from '../../context.ts';
import type { Platform } from '../../platform/contract.ts';
import { registry } from '../../context-registry.ts';
import type { Cell } from '../../terminal/output.ts';
import { printExactly, printJson, printLine, printTable } from '../../terminal/output.ts';
import { grouped, roughly, times } from '../../terminal/words.ts';

/** `source show`. */
export async function sourceShow(name: string, options: { organisation?: string; json?: boolean }): Promise<void> {
  await withContext(async ({ database, clock }) => {
    const source = await findSource(database, { name, organisation: options.organisation });
    const shown = await showSource(database, registry, source);
    if (options.json) printJson(sourceDocument(shown));
    else {
      print(shown, clock.now());
      for (const owned of shown.seriesOfOthers) printOwner(source, owned);
    }
  });
}

function print({ report, refusals, platforms }: ShownSource, now: Instant): void {
  printExactly(configText(report.config));
  section('state');
  const ago = (instant: Instant | null): string => (instant === null ? 'never' : `${roughly(now - instant)} ago`);
  printLine(
    `${stateInWords(report)}${report.failures === 0 ? '' : `, ${counted(report.failures, 'failure')} in a row`}; last poll ${ago(report.lastPollAt)}, last success ${ago(report.lastSuccessAt)}`,
  );
  const lag = report.lag === null ? '' : `${roughly(report.lag)} behind, `;
  const gaps = report.gaps === null ? 'no streams yet' : report.gaps ? 'with gaps' : 'without gaps';
  printLine(`${lag}${gaps}; ${counted(report.readings24h, 'new reading')} in 24h`);
  printLine(
    `in 24h ${counted(report.refused24h, 'point')} refused (each time that one was asked for; source refusals counts those that still stand), ${report.repeats24h} sent more than once, ${report.outside24h} outside of what was asked`,
  );
  printLine(`newest reading ${ago(report.newestAt)}${overdueInWords(report)}`);
  if (report.nextDueAt !== null)
    printLine(`next poll due ${report.nextDueAt <= now ? 'now' : formatInstant(report.nextDueAt)}`);
  if (report.heldUntil !== null && report.heldUntil > now)
    printLine(`not asked before ${formatInstant(report.heldUntil)}`);
  if (report.clocksDisagree)
    printLine('not asked: the clocks of all hosts disagree with the database; databridge doctor shows them');
  if (report.outboxFullSince !== null)
    printLine(
      `not asked since ${formatInstant(report.outboxFullSince)}: the outbox of ${report.project} is full; databridge ingestion list shows why`,
    );
  if (report.unproven)
    printLine('unproven: nothing shows that the answers of this platform are complete; its operator accepted that');
  if (report.adapter !== null) printLine(`adapter: ${report.adapter}`);
  printLine(paceInWords(report, now));
  printLine(hourInWords(report.requests, allowedPerHour(report.demand, platforms)));
  printOverload(report, platforms);
  printPlatformClock(report);
  if (report.fault !== null) printFault(report.fault);
  if (report.allRefused !== null) {
    printLine(`${allRefusedInWords(report.allRefused)}\n  try: ${remedyOf(report.allRefused, 'operator')}`);
  }
  printLine(looksInWords(report, now));
  if (report.lookFault !== null) printFault(report.lookFault);
  section(`streams, from ${formatInstant(report.startAt)} on`);
  for (const stream of report.streamReports) printStream(stream, now);
  if (report.streamReports.length === 0) printLine('none yet: they are made as the look for sensors finds them');
  section('last windows (ms: waiting for the pace, HTTP, normalising, storing)');
  if (report.windows.length === 0) printLine('none yet');
  else printTable(WINDOW_HEADING, report.windows.map(windowCells));
  if (refusals.length === 0) return;
  section('refusals');
  for (const { reason, refused, examples } of refusals) {
    printLine(`${reason}, ${times(refused)}: ${messageOf(reason, 'operator')}`);
    for (const { sensor, variable, at, raw } of examples)
      printLine(`  ${sensor} ${variable} ${instantOrNull(at) ?? ''} ${raw}`);
  }
}

function printOwner(source: FoundSource, owned: OwnedElsewhere): void {
  const [belong, them] = owned.series === 1 ? ['belongs', 'it'] : ['belong', 'them'];
  printLine(
    `\n${owned.series} series ${belong} to ${ownerInWords(owned)}: points of this source for ${them} are refused`,
  );
  printLine(`  try: ${ownerRemedy(source, owned)}`);
}

/** The first sensors of a long list, such as that of a table, are shown. */
function configText(config: unknown): string {
  const sensors = isMapping(config) ? config['sensors'] : undefined;
  if (!isMapping(config) || !Array.isArray(sensors) || sensors.length <= SENSORS_SHOWN)
    return stringify(config).trimEnd();
  const document = new Document({ ...config, sensors: sensors.slice(0, SENSORS_SHOWN) });
  const [hidden, all] = [sensors.length - SENSORS_SHOWN, sensors.length].map(grouped);
  const list = document.get('sensors');
  if (isSeq(list)) list.comment = ` … ${hidden} more of ${all} sensors; --json shows all`;
  return document.toString().trimEnd();
}

const SENSORS_SHOWN = 20;

const stateInWords = (report: SourceReport): string => {
  const { condition } = report;
  return condition === report.state ? condition : `${condition} (${report.state})`;
};

const overdueInWords = ({ overdue }: SourceReport): string =>
  overdue === null || overdue === 0 ? '' : `; overdue by ${roughly(overdue)}, beyond schedule.every and settle`;

const section = (title: string): void => printLine(`\n── ${title}`);

function paceInWords({ pace, slowed }: SourceReport, now: Instant): string {
  if (pace === null) return 'pace: no request yet';
  const abandoned = pace.leases.filter((lease) => lease.abandoned && lease.until > now);
  const latest = Math.max(...abandoned.map((lease) => lease.until));
  const lost =
    abandoned.length === 0
      ? ''
      : `, ${abandoned.length} of them without an answer: the platform may still work on them, so they count until ${formatInstant(latest)}`;
  const silence = pace.holdUntil > now ? `, silent until ${formatInstant(pace.holdUntil)}` : '';
  return `pace: ${counted(pace.leases.length, 'request')} under way${lost}${silence}${slowed === null ? '' : `, ${slowed}`}`;
}

/** The requests of the last hour against the pace; `allowed` is null where the pace is not known. */
function hourInWords(hour: HourOfRequests, allowed: number | null): string {
  const limit = allowed === null ? '' : ` of ${grouped(allowed)} allowed`;
  const kinds = REQUEST_KINDS.filter((kind) => hour[kind] > 0).map((kind) => `${kind} ${grouped(hour[kind])}`);
  const words = [
    `${grouped(hour.all)}${limit}`,
    ...(kinds.length === 0 ? [] : [kinds.join(', ')]),
    ...(hour.failed === 0 ? [] : [`${grouped(hour.failed)} failed`]),
    ...(hour.all === 0 ? [] : [`at most ${grouped(hour.fullestMinute)} in a minute`]),
  ];
  return `requests in the last hour: ${words.join('; ')}`;
}

function printOverload({ demand }: SourceReport, platforms: readonly Platform[]): void {
  const overload = measuredOverload(demand, platforms);
  if (overload === undefined) return;
  printLine(overload.message);
  printLine(`  try: ${overload.remedy}`);
}

function printPlatformClock({ clockAhead, settle }: SourceReport): void {
  if (clockAhead === null) return;
  const { message, remedy } = clockTrouble(clockAhead, settle);
  printLine(message);
  printLine(`  try: ${remedy}`);
}

function looksInWords({ lookedAt, lookDueAt, lookFailures, awaitsLook }: SourceReport, now: Instant): string {
  const last = lookedAt === null ? 'sensors never looked up' : `sensors looked up ${roughly(now - lookedAt)} ago`;
  const failed = lookFailures === 0 ? '' : `, ${counted(lookFailures, 'look')} in a row with a fault`;
  const next =
    lookDueAt === null ? '' : lookDueAt <= now ? ', next look now' : `, next look ${formatInstant(lookDueAt)}`;
  return `${last}${failed}${next}${awaitsLook ? '; polls wait for it, because the source was changed' : ''}`;
}

function printFault(fault: FaultRecord): void {
  printLine(`last fault ${fault.at} ${fault.where ?? ''}: ${fault.code}: ${fault.message}`);
  if (fault.remedy !== undefined) printLine(`  try: ${fault.remedy}`);
  if (fault.page !== undefined) printLine(`  answer of the platform:\n${fault.page.replaceAll(/^/gm, '    ')}`);
}

function printStream(stream: ShownStream, now: Instant): void {
  const window =
    stream.window === null
      ? ''
      : `, windows of ${formatDuration(Math.round(stream.window / MILLISECOND) * MILLISECOND)}`;
  const history = stream.historyDueAt === null ? '' : ', older time is being asked for';
  printLine(`${stream.key}: ${counted(stream.sensors, 'sensor')}${window}${history}`);
  const hidden = stream.ranges - stream.covered.length;
  if (hidden > 0) printLine(`  … ${counted(hidden, 'older range')}`);
  for (const [from, to] of stream.covered) printLine(`  covered ${formatWindow({ from, to })}`);
  if (stream.newestAt !== null) printLine(`  newest reading ${formatInstant(stream.newestAt)}`);
  printAskedLater(stream);
  if (stream.retryAt !== null && stream.retryAt > now)
    printLine(`  waits until ${formatInstant(stream.retryAt)} after ${counted(stream.failures, 'failure')}`);
  if (stream.absentSince !== null)
    printLine(`  not shown by the platform since ${formatInstant(stream.absentSince)}; still read`);
  if (stream.fault !== null) printLine(`  ${stream.fault.code}: ${stream.fault.message}`);
}

/** The time that is asked for once more: because it could not be read, or because late data may have come into it. */
function printAskedLater(stream: ShownStream): void {
  const { unreadable, unreadableCount, unreadableLeft, lookAgain, newsAge, newsBeyond, mayMissLateData } = stream;
  if (unreadableCount > 0) {
    printLine(unreadableInWords(stream));
    for (const { from, to, retryAt, fault } of unreadable) {
      const next = retryAt === null ? 'before the start' : `next try ${formatInstant(retryAt)}`;
      printLine(`    ${formatWindow({ from, to })}, ${next}: ${fault.code}: ${fault.message}`);
    }
    if (unreadableCount > unreadableLeft)
      printLine('    try: look at these points on the platform; databridge source poll asks for all of them at once');
  }
  if (newsAge > 0) printLine(`  late data: found up to ${roughly(newsAge)} after its instant`);
  if (mayMissLateData) {
    printLine(
      newsBeyond > 0
        ? `    ${counted(newsBeyond, 'reading')} came later than schedule.lookBackAtMost, so there may be more`
        : '    looks for more of it end at schedule.lookBackAtMost, so there may be more before that',
    );
    printLine('    try: a longer lookBackAtMost, or databridge backfill start with --what all');
  }
  if (lookAgain > 0) printLine(`  ${roughly(lookAgain)} are asked once more for late data`);
}

function unreadableInWords({ unreadableCount, unreadableLeft, unreadableLength }: ShownStream): string {
  const all = `  unreadable: ${formatDuration(unreadableLength)} in ${counted(unreadableCount, 'stretch', 'stretches')}`;
  if (unreadableLeft === unreadableCount) return `${all} before the start, not asked for`;
  const left = unreadableLeft === 0 ? '' : `; not asked for: ${unreadableLeft} before the start`;
  return `${all}, asked around and tried again slowly${left}`;
}

const WINDOW_HEADING = [
  'stream',
  'lane',
  'asked',
  'window',
  'readings',
  'new',
  'refused',
  'repeats',
  'outside',
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
  window.windows > 1 ? `${window.lane} ×${window.windows}` : window.lane,
  formatInstant(window.askedAt),
  formatWindow(window),
  window.readings,
  window.readings - window.duplicates,
  window.refused,
  window.repeats,
  window.outside,
  window.late,
  window.requests,
  formatBytes(window.bytes),
  ...[window.waitedMs, window.httpMs, window.normaliseMs, window.storeMs].map(Math.round),
];
