import { BUCKET_STATES, bucketOf, rangeOf, runsOf } from '../../core/buckets.ts';
import { counted } from '../../core/counted.ts';
import { formatDuration } from '../../core/duration.ts';
import { DAY, formatInstant } from '../../core/instant.ts';
import { messageOf } from '../../core/refusal-remedies.ts';
import { withContext } from '../../context.ts';
import { coverageDocument } from '../../source/coverage-document.ts';
import { lackingIn, reportCoverage } from '../../source/coverage-report.ts';
import type { CoverageReport } from '../../source/coverage-report.ts';
import { findSource } from '../../source/find-source.ts';
import { bucketsIn, drawCoverage } from '../../terminal/coverage-chart.ts';
import type { Cell } from '../../terminal/output.ts';
import { printExactly, printJson, printLine, printTable } from '../../terminal/output.ts';
import { paintOn } from '../../terminal/screen.ts';
import { grouped, roughly, widthOf, wrapped } from '../../terminal/words.ts';
import { parseTime } from '../options.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly sensor?: string;
  readonly limit?: number;
  readonly organisation?: string;
  readonly json?: boolean;
}

const STREAMS_DRAWN = 40;
const MOST_STREAMS = 1_000_000;
const BUCKETS_ON_A_PIPE = 56;

/** `source coverage`. */
export async function sourceCoverage(name: string, options: Options): Promise<void> {
  const width = options.json ? undefined : widthOf(process.stdout);
  const report = await withContext(async ({ database, clock }) => {
    const source = await findSource(database, { name, organisation: options.organisation });
    const now = clock.now();
    return await reportCoverage(database, source, {
      range: {
        from: parseTime(options.from ?? formatDuration(7 * DAY), now, '--from'),
        to: options.to === undefined ? now : parseTime(options.to, now, '--to'),
      },
      sensor: options.sensor,
      cut: { most: width === undefined ? BUCKETS_ON_A_PIPE : bucketsIn(width) },
      mostStreams: options.limit ?? (width === undefined ? MOST_STREAMS : STREAMS_DRAWN),
    });
  });
  if (options.json) printJson(coverageDocument(report, { sensor: options.sensor }));
  else if (report.streams.length === 0) printLine('no streams yet: they are made as the look for sensors finds them');
  else if (width === undefined) printRows(report, options.sensor);
  else {
    const { grid } = report;
    printLine(`${name}: ${formatDuration(grid.length)} a character, times in UTC\n`);
    const rows = report.streams.map(({ key, states }) => ({ label: key, states }));
    for (const line of drawCoverage(rows, { grid, width, paint: paintOn(process.stdout) })) printExactly(line);
    if (options.sensor !== undefined) {
      printLine();
      printRows(report, options.sensor);
    }
    printLine(`\n${wrapped(sumInWords(report))}`);
  }
  if (!options.json && report.keptFrom !== null && rangeOf(report.grid).from < report.keptFrom)
    process.stderr.write(`readings from before ${formatInstant(report.keptFrom)} are not kept\n`);
  if (options.json || (width === undefined && options.sensor === undefined)) return;
  for (const line of refusalsInWords(report)) printLine(wrapped(line));
}

function sumInWords({ streams, hidden }: CoverageReport): string {
  const lacking = lackingIn(streams);
  const more = hidden === 0 ? '' : `; ${grouped(hidden)} more lack no more than these (--limit)`;
  const what = lacking === 0 ? 'nothing is missing' : `${roughly(lacking)} are missing, being asked or unreadable`;
  return `${counted(streams.length, 'stream')}, ${what}${more}`;
}

/** Neighbours of one state are one row; for a sensor its readings and refused points are counted in it. */
function printRows({ grid, streams }: CoverageReport, sensor: string | undefined): void {
  const startOf = (bucket: number): string => formatInstant(bucketOf(grid, bucket).from);
  const rows = streams.flatMap(({ key, states, readings, refused }) =>
    runsOf(states).map(({ state, first, end }): Cell[] => {
      const time = [startOf(first), startOf(end), BUCKET_STATES[state]];
      return sensor === undefined
        ? [key, ...time]
        : [sensor, key, ...time, sumOf(readings?.slice(first, end)), sumOf(refused?.slice(first, end))];
    }),
  );
  const ofSensor = sensor === undefined ? [] : ['readings', 'refused'];
  printTable([...(sensor === undefined ? [] : ['sensor']), 'stream', 'from', 'to', 'state', ...ofSensor], rows);
}

const sumOf = (counts: readonly number[] = []): number => counts.reduce((sum, count) => sum + count, 0);

/** One line a reason, with the time and an example. */
function refusalsInWords({ refusals, unkept }: CoverageReport): string[] {
  const lines = refusals.map(({ reason, refused, first, last, raw }) => {
    return `refused ${grouped(refused)} × ${reason}, ${formatInstant(first)} to ${formatInstant(last)}${raw === null ? '' : `, such as ${raw}`}: ${messageOf(reason, 'operator')}`;
  });
  return unkept === 0
    ? lines
    : [...lines, `${grouped(unkept)} more refused points of these streams are counted only (source refusals)`];
}
