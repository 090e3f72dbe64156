import type { Command } from 'commander';
import { formatDuration } from '../core/duration.ts';
import { SECOND } from '../core/instant.ts';
import { listSources } from '../source/report.ts';
import type { SourceLine } from '../source/report.ts';
import { withContext } from '../context.ts';
import type { Cell } from '../terminal/output.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { addSourceShow } from './source-show.ts';
import { instantOrNull, roughly, short } from '../terminal/words.ts';
import { helpBelow } from './help.ts';

/** Adds `list` and `show`. */
export function addSourceList(source: Command): void {
  source
    .command('list')
    .description('list sources with lag, gaps, new readings, requests and last fault')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source list', 'databridge source list --json'],
        notes: [
          'lag: from the end of the coverage to now, of the stream that is furthest behind. gaps: whether time before that end is missing. 24h: new readings of the last 24 hours. req/h: requests for readings in the last hour.',
        ],
      }),
    )
    .action(async (options: { json?: boolean }) => {
      const lines = await withContext({ patient: false }, ({ database }) => listSources(database));
      if (options.json) printJson(lines.map(lineDocument));
      else if (lines.length === 0) printLine('no sources yet; databridge source apply FILE creates one');
      else printLine(table(HEADING, lines.map(cells)));
    });
  addSourceShow(source);
}

const HEADING = [
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
  line.name,
  line.project,
  line.platform,
  line.state,
  formatDuration(line.every),
  line.streams,
  line.lag === null ? null : roughly(line.lag),
  line.gaps ? 'yes' : 'no',
  line.readings24h,
  line.requestsLastHour,
  short(hindranceOf(line), FAULT_LENGTH),
];

const hindranceOf = ({ outboxFullSince, fault, project }: SourceLine): string =>
  outboxFullSince === null
    ? (fault?.message ?? '')
    : `not asked: the outbox of ${project} is full (databridge ingestion list)`;

const lineDocument = ({ lag, ...line }: SourceLine): Record<string, unknown> => ({
  ...line,
  every: formatDuration(line.every),
  lagSeconds: lag === null ? null : lag / SECOND,
  heldUntil: instantOrNull(line.heldUntil),
  outboxFullSince: instantOrNull(line.outboxFullSince),
});
