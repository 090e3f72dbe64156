import { formatDuration } from '../../core/duration.ts';
import { SECOND } from '../../core/instant.ts';
import { clockTrouble } from '../../core/platform-clock.ts';
import { listSources } from '../../source/report.ts';
import type { SourceLine } from '../../source/report.ts';
import { registry, withContext } from '../../context.ts';
import { hindranceOf, measuredOverload } from '../../source/demand.ts';
import type { Cell } from '../../terminal/output.ts';
import { printJson, printLine, table } from '../../terminal/output.ts';
import { instantOrNull, roughly, short } from '../../terminal/words.ts';

/** `source list`. */
export async function sourceList(options: { json?: boolean }): Promise<void> {
  const lines = await withContext({ patient: false }, ({ database }) => listSources(database));
  if (options.json) printJson(lines.map(lineDocument));
  else if (lines.length === 0) printLine('no sources yet; databridge source apply FILE creates one');
  else printLine(table(HEADING, lines.map(cells)));
}

const HEADING = [
  'organisation',
  'name',
  'project',
  'platform',
  'state',
  'every',
  'streams',
  'lag',
  'gaps',
  '24h',
  'req/h',
  'last fault',
];

const FAULT_LENGTH = 60;

const cells = (line: SourceLine): Cell[] => [
  line.organisation,
  line.name,
  line.project,
  line.unproven ? `${line.platform} (unproven)` : line.platform,
  line.state,
  formatDuration(line.every),
  line.streams,
  line.lag === null ? null : roughly(line.lag),
  line.gaps ? 'yes' : 'no',
  line.readings24h,
  line.requestsLastHour,
  short(whyOf(line), FAULT_LENGTH),
];

const whyOf = (line: SourceLine): string => {
  const { outboxFullSince, clocksDisagree, lookFault, unreadable, project, clockAhead, settle } = line;
  if (clocksDisagree) return 'not asked: the clocks of hosts and database disagree (databridge doctor)';
  if (outboxFullSince !== null) return `not asked: the outbox of ${project} is full (databridge ingestion list)`;
  const holes = unreadable > 0 ? `${unreadable} times cannot be read (databridge source show)` : '';
  const look = lookFault === null ? '' : `looking for sensors: ${lookFault.message}`;
  const clock = clockAhead === null ? '' : clockTrouble(clockAhead, settle).message;
  return hindranceOf(line, registry) || clock || holes || look;
};

const lineDocument = ({ lag, overdue, demand, clockAhead, ...line }: SourceLine): Record<string, unknown> => ({
  ...line,
  every: formatDuration(line.every),
  lagSeconds: lag === null ? null : lag / SECOND,
  overdueSeconds: overdue === null ? null : overdue / SECOND,
  newestAt: instantOrNull(line.newestAt),
  overload: measuredOverload(demand, registry) ?? null,
  heldUntil: instantOrNull(line.heldUntil),
  outboxFullSince: instantOrNull(line.outboxFullSince),
  settle: formatDuration(line.settle),
  platformClockAheadSeconds: clockAhead === null ? null : clockAhead / SECOND,
});
