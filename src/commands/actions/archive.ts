import { constants, getPriority, setPriority } from 'node:os';
import { damagedDays, listDays, unknownFiles } from '../../archive/keep.ts';
import type { ListedDay } from '../../archive/keep.ts';
import { dueBefore, sweepAndMove } from '../../archive/due.ts';
import { archiveOf } from '../../archive/manifest.ts';
import type { Moved } from '../../archive/move.ts';
import { formatBytes } from '../../core/bytes.ts';
import { counted } from '../../core/counted.ts';
import { configInvalid } from '../../core/errors.ts';
import { DAY, formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import type { Database } from '../../database/database.ts';
import { withContext } from '../../context.ts';
import { EXIT, printJson, printLine, table } from '../../terminal/output.ts';
import { grouped, widthOf } from '../../terminal/words.ts';
import { heldProjects, keepDocument } from '../../source/project-keep.ts';
import { parseTime } from '../options.ts';
import { assertClocksAgree } from './clocks-agree.ts';
import { holdInWords } from './project-keep.ts';
import { interruptible } from './stop.ts';

interface OfProject {
  readonly organisation: string;
  readonly project?: string;
  readonly json?: boolean;
}

const dayText = (day: Instant): string => formatInstant(day).slice(0, 10);

/** `archive run`. */
export async function archiveRun(options: OfProject & { readonly until?: string }): Promise<void> {
  const before = getPriority();
  // Polls of this host come first. DuckDB's threads begin later, and take over what this one has.
  setPriority(constants.priority.PRIORITY_LOW);
  try {
    await moveAll(options);
  } finally {
    // For who calls this inside a longer process. Only root may rise again; the process of another user ends now.
    if (process.geteuid?.() === 0) setPriority(before);
  }
}

async function moveAll(options: Parameters<typeof archiveRun>[0]): Promise<void> {
  await interruptible('what was moved stays moved; the next run goes on', (signal) =>
    withContext(async ({ database, clock }) => {
      const { after } = archiveOf(database, 1);
      const now = clock.now();
      // One of the clocks takes days for settled that are not.
      assertClocksAgree(clock, 'moves');
      const due = dueBefore(now, after);
      const before =
        options.until === undefined ? due : Math.floor(parseTime(options.until, now, '--until') / DAY) * DAY;
      // Writers take newer days for rows.
      if (before > due)
        throw configInvalid(
          `--until is newer than DATABRIDGE_ARCHIVE_AFTER allows, which is ${dayText(due)}`,
          'give an earlier day, or make DATABRIDGE_ARCHIVE_AFTER smaller on every host',
          '--until',
        );
      const projectId = await projectIdOf(database, options);
      const days: (Record<string, unknown> & { readonly outcome: Moved['outcome'] })[] = [];
      for await (const { project, day, moved } of sweepAndMove(database, { before, projectId, signal })) {
        days.push({ project, day: dayText(day), ...moved });
        if (options.json !== true) printLine(`${project} ${dayText(day)}: ${inWords(moved)}`);
      }
      if (options.json === true) printJson({ days });
      else if (days.length === 0) printLine('no day is due');
      if (signal.aborted || days.some(({ outcome }) => outcome === 'busy')) process.exitCode = EXIT.failed;
    }),
  );
}

function inWords(moved: Moved): string {
  switch (moved.outcome) {
    case 'moved':
    case 'merged':
      return `${moved.outcome}, ${counted(moved.rows, 'row')} into ${formatBytes(moved.bytes)} of ${counted(moved.readings, 'reading')}`;
    case 'nothing':
      return 'nothing to move any more';
    case 'busy':
      return 'another process moves it';
    case 'changed':
      return 'stays, because readings of it were written meanwhile; the next run moves it';
    case 'undelivered':
      return 'stays, because the outbox holds readings of it';
  }
}

/** `archive list`. */
export async function archiveList(options: OfProject): Promise<void> {
  await withContext(async ({ database }) => {
    const projectId = await projectIdOf(database, options);
    const days = await listDays(database, projectId);
    const holds = (await heldProjects(database)).filter(({ id }) => projectId === undefined || id === projectId);
    if (options.json === true) return printJson({ days: days.map(documentOf), holds: holds.map(keepDocument) });
    for (const { code, hold } of holds) printLine(`${code} is ${holdInWords(hold)}`);
    if (days.length === 0) return printLine('no day of readings is archived yet');
    const rows = days.map(({ project, day, readings, bytes }) => [
      project,
      dayText(day),
      grouped(readings),
      formatBytes(bytes),
    ]);
    printLine(table(['project', 'day', 'readings', 'size'], rows, { width: widthOf(process.stdout) }));
  });
}

const documentOf = ({ organisation, project, day, path, sha256, bytes, readings, series, ...times }: ListedDay) => ({
  organisation,
  project,
  day: dayText(day),
  path,
  sha256,
  bytes,
  readings,
  series,
  firstAt: formatInstant(times.firstAt),
  lastAt: formatInstant(times.lastAt),
  madeAt: formatInstant(times.madeAt),
});

/** `archive check`. */
export async function archiveCheck(options: { readonly json?: boolean }): Promise<void> {
  await withContext(async ({ database }) => {
    const days = await listDays(database);
    const damaged: Record<string, string>[] = [];
    for await (const { day, ...one } of damagedDays(database, days, { whole: true })) {
      damaged.push({ ...one, day: dayText(day) });
      if (options.json !== true) printLine(`${one.project} ${dayText(day)}: ${one.fault}`);
    }
    const unknown = await unknownFiles(database);
    if (options.json === true) printJson({ days: days.length, damaged, unknown });
    else for (const name of unknown) printLine(`${name}: no day has this file; it is no data, and nothing removes it`);
    if (options.json !== true) printLine(`${counted(days.length, 'archived day')}, ${damaged.length} damaged`);
    if (damaged.length > 0) process.exitCode = EXIT.failed;
  });
}

async function projectIdOf(database: Database, { organisation, project }: OfProject): Promise<number | undefined> {
  if (project === undefined) return undefined;
  const row = await database.row<{ id: number }>('select id from ml_project where organisation_id = $1 and code = $2', [
    organisation,
    project,
  ]);
  if (row !== undefined) return row.id;
  throw configInvalid(
    `there is no project ${project} in organisation ${organisation}`,
    'databridge project list shows all projects',
    '--project',
  );
}
