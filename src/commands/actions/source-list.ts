import type { Condition } from '../../core/condition.ts';
import { counted } from '../../core/counted.ts';
import { formatDuration } from '../../core/duration.ts';
import { reasonFirst } from '../../core/fault-words.ts';
import { clockTrouble } from '../../core/platform-clock.ts';
import type { Platform } from '../../platform/contract.ts';
import type { SourceLine } from '../../source/report.ts';
import { withContext } from '../../context.ts';
import { platforms as listed } from '../../context-platforms.ts';
import { hindranceOf } from '../../source/demand.ts';
import { allRefusedInWords } from '../../source/all-refused.ts';
import { silenceInWords } from '../../source/silence.ts';
import { listedSources, sourceLineDocument } from '../../source/listing.ts';
import type { WantedSources } from '../../source/listing.ts';
import { fittingTable } from '../../terminal/fitting.ts';
import type { ShownColumn } from '../../terminal/fitting.ts';
import { printExactly, printJson, printLine } from '../../terminal/output.ts';
import { roughly, short, widthOf } from '../../terminal/words.ts';
import { sumOfSources, sourcesInWords } from './sources-in-words.ts';

/** The options of `source list`. */
export interface ListSourcesOptions extends Pick<WantedSources, 'behind' | 'platform' | 'sort'> {
  readonly condition?: Condition;
  readonly limit?: number;
  readonly json?: boolean;
}

/** `source list`. */
export async function sourceList(options: ListSourcesOptions): Promise<void> {
  const { json, ...choice } = options;
  const { counts, matching, lines, platforms } = await withContext(({ database }) =>
    listedSources(database, listed, choice),
  );
  if (json) {
    printJson(lines.map((line) => sourceLineDocument(line, platforms)));
    return;
  }
  if (sumOfSources(counts) === 0) {
    printLine('no sources yet; databridge source apply FILE creates one');
    return;
  }
  const several = new Set(lines.map(({ organisation }) => organisation)).size > 1;
  if (lines.length > 0)
    printExactly(`${fittingTable(columnsOf(several, platforms), lines, widthOf(process.stdout))}\n`);
  printLine(sourcesInWords(counts, matching, lines.length));
}

/** The columns, with those that a narrow terminal leaves out. */
const columnsOf = (
  severalOrganisations: boolean,
  platforms: readonly Platform[],
): readonly ShownColumn<SourceLine>[] => [
  {
    title: 'organisation',
    cell: (line) => line.organisation,
    least: 8,
    ...(severalOrganisations ? {} : { drop: 0 }),
  },
  { title: 'name', cell: (line) => line.name, least: 16 },
  { title: 'project', cell: (line) => line.project, drop: 1 },
  { title: 'platform', cell: (line) => platformInWords(line), drop: 3 },
  { title: 'condition', cell: ({ condition }) => condition },
  { title: 'every', cell: (line) => formatDuration(line.every), drop: 4 },
  { title: 'streams', cell: (line) => line.streams, drop: 2 },
  { title: 'lag', cell: (line) => (line.lag === null ? null : roughly(line.lag)) },
  { title: 'newest', cell: (line) => (line.newestAge === null ? 'never' : roughly(line.newestAge)), drop: 8 },
  { title: 'gaps', cell: (line) => (line.gaps === null ? null : line.gaps ? 'yes' : 'no'), drop: 7 },
  { title: '24h', cell: (line) => line.readings24h, drop: 6 },
  { title: 'req/h', cell: (line) => line.requests.all, drop: 5 },
  { title: 'last fault', cell: (line) => short(reasonFirst(whyOf(line, platforms)), FAULT_LENGTH), least: 24 },
];

const FAULT_LENGTH = 60;

const platformInWords = ({ platform, unproven, adapter }: SourceLine): string => {
  const marks = [...(unproven ? ['unproven'] : []), ...(adapter === null ? [] : ['adapter'])];
  return marks.length === 0 ? platform : `${platform} (${marks.join(', ')})`;
};

const whyOf = (line: SourceLine, platforms: readonly Platform[]): string => {
  const { condition, silence, allRefused, outboxFullSince, clocksDisagree } = line;
  const { lookFault, unreadable, project, clockAhead, settle } = line;
  if (clocksDisagree) return 'not asked: the clocks of hosts and database disagree (databridge doctor)';
  if (outboxFullSince !== null) return `not asked: the outbox of ${project} is full (databridge ingestion list)`;
  const holes =
    unreadable > 0
      ? `${counted(unreadable, 'stretch', 'stretches')} of time cannot be read (databridge source show)`
      : '';
  const look = lookFault === null ? '' : `looking for sensors: ${reasonFirst(lookFault.message)}`;
  const clock = clockAhead === null ? '' : clockTrouble(clockAhead, settle).message;
  const refused = allRefused === null ? '' : allRefusedInWords(allRefused);
  const silent = condition === 'silent' && silence !== null ? silenceInWords(silence) : '';
  return hindranceOf(line, platforms) || refused || silent || clock || holes || look;
};
