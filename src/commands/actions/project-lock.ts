import { configInvalid } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { heldNameDocument, heldNames, namesToRelease, releaseNames } from '../../source/held-names.ts';
import type { HeldName } from '../../source/held-names.ts';
import { repairDocument } from '../../source/held-repair.ts';
import type { HeldRepair } from '../../source/held-repair.ts';
import { projectRoom, setLocked, setQuota, showProject } from '../../source/project-room.ts';
import { fittingTable } from '../../terminal/fitting.ts';
import type { ShownColumn } from '../../terminal/fitting.ts';
import { nameInWords } from '../../source/near-series.ts';
import { keepDocument, projectKeep } from '../../source/project-keep.ts';
import { keepLines } from './project-keep.ts';
import { printRenamed, projectRename } from './project-rename.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';
import { grouped, widthOf, wrapped } from '../../terminal/words.ts';

interface ProjectOptions {
  readonly organisation: string;
  readonly json?: boolean;
}

/** `project lock`. */
export async function projectLock(code: string, { organisation, json }: ProjectOptions): Promise<void> {
  const { changed, room } = await withContext(({ database }) =>
    setLocked(database, { organisation, code }, true, actor()),
  );
  if (json) printJson({ code, organisation, locked: true, changed, series: room.series });
  else if (!changed) printLine(`project ${code} is locked already`);
  else {
    printLine(`project ${code} is locked: names other than those of its ${grouped(room.series)} series are held back`);
    printLine(`  databridge project names ${code} lists them`);
  }
}

/** `project unlock`. */
export async function projectUnlock(code: string, { organisation, json }: ProjectOptions): Promise<void> {
  const { changed, room, repairs } = await withContext(({ database }) =>
    setLocked(database, { organisation, code }, false, actor()),
  );
  if (json)
    printJson({ code, organisation, locked: false, changed, held: room.held, repairs: repairs.map(repairDocument) });
  else {
    printLine(changed ? `project ${code} takes new names again` : `project ${code} is not locked`);
    if (room.held > 0) printLine(`its ${grouped(room.held)} held names become series when they come again`);
    printRepairs(repairs);
  }
}

const second = (instant: number | null): string | null =>
  instant === null ? null : formatInstant(instant).slice(0, 16).replace('T', ' ');

const COLUMNS: readonly ShownColumn<HeldName>[] = [
  { title: 'sensor', cell: ({ sensorId }) => sensorId, least: 10 },
  { title: 'variable', cell: ({ valueName }) => valueName, least: 8 },
  { title: 'from', cell: ({ source, application }) => source ?? application, least: 6 },
  { title: 'resembles', cell: ({ near }) => near.map(nameInWords).join(', ') || null, least: 10 },
  { title: 'points', cell: ({ refused }) => refused },
  { title: 'first seen', cell: ({ firstSeen }) => second(firstSeen), least: 11 },
  { title: 'last seen', cell: ({ lastSeen }) => second(lastSeen), least: 11, drop: 1 },
];

interface NamesOptions extends ProjectOptions {
  readonly sensor?: string;
  readonly renamed?: boolean;
  readonly limit: number;
  readonly skip?: number;
}

/** `project names`. */
export async function projectNames(code: string, options: NamesOptions): Promise<void> {
  const { organisation, sensor: sensorId, limit, skip = 0 } = options;
  if (options.renamed) return await printRenamed({ organisation, code }, options);
  const { room, names } = await withContext(async ({ database }) => {
    const project = await projectRoom(database, { organisation, code });
    return { room: project, names: await heldNames(database, project.id, { sensorId, limit, skip }) };
  });
  if (options.json) printJson({ ...room, names: names.map(heldNameDocument) });
  else if (names.length === 0)
    printLine(room.locked ? 'no name is held back' : `no name is held back; project ${code} is not locked`);
  else {
    printLine(fittingTable(COLUMNS, names, widthOf(process.stdout)));
    const hidden = sensorId === undefined ? room.held - skip - names.length : 0;
    printLine(
      `\n${room.held === 1 ? '1 name is' : `${grouped(room.held)} names are`} held back${hidden > 0 ? `, ${grouped(hidden)} of them after these (--skip ${skip + names.length})` : ''}`,
    );
    printLine(`  databridge project release ${code} SENSOR lets a name in`);
  }
}

/** `project release`. */
export async function projectRelease(
  code: string,
  names: readonly string[],
  { organisation, json, all = false, as }: ProjectOptions & { readonly all?: boolean; readonly as?: readonly string[] },
): Promise<void> {
  if (as !== undefined) return await projectRename({ organisation, code }, { names, as, json });
  const [sensorId, valueName, ...more] = names;
  if (more.length > 0) throw configInvalid('more than one name is given', 'give a sensorId, and perhaps a valueName');
  const wanted = namesToRelease({ sensorId, valueName, all });
  const { released, repairs, applications } = await withContext(({ database }) =>
    releaseNames(database, { organisation, code }, wanted, actor()),
  );
  if (json) return printJson({ code, organisation, released, repairs: repairs.map(repairDocument), applications });
  printLine(`${grouped(released)} ${released === 1 ? 'name is' : 'names are'} released`);
  printRepairs(repairs);
  if (applications.length > 0) {
    printLine(wrapped(`Readings that were pushed are stored when they are sent again, by ${applications.join(', ')}.`));
  }
}

function printRepairs(repairs: readonly HeldRepair[]): void {
  for (const { source, points, command } of repairs) {
    printLine(`${grouped(points)} points of source ${source} were refused; this asks for them once more:`);
    printLine(`  ${command}`);
  }
}

/** `project show`. */
export async function projectShow(code: string, { organisation, json }: ProjectOptions): Promise<void> {
  const { room, keep } = await withContext(async ({ database }) => ({
    room: await showProject(database, { organisation, code }),
    keep: await projectKeep(database, { organisation, code }),
  }));
  if (json) return printJson({ ...room, ...keepDocument(keep) });
  printLine(`project ${code}: ${room.locked ? 'locked, new names are held back' : 'takes new names'}`);
  printLine(`  ${grouped(room.series)} series of at most ${grouped(room.quota)}, ${grouped(room.held)} held names`);
  printLine(`  ${grouped(room.newInHour)} new in an hour, ${room.newInUsualHour.toFixed(1)} in a usual one`);
  for (const line of keepLines(keep)) printLine(`  ${line.replace(`project ${code} `, '')}`);
  for (const { message, remedy } of room.warnings) {
    printLine(wrapped(`! ${message}`));
    printLine(wrapped(`try: ${remedy}`, '  '));
  }
}

/** `project quota`. */
export async function projectQuota(code: string, series: string, options: ProjectOptions): Promise<void> {
  const { organisation, json } = options;
  const quota = /^\d{1,10}$/.test(series) ? Number(series) : Number.NaN;
  const room = await withContext(({ database }) => setQuota(database, { organisation, code }, quota, actor()));
  if (json) return printJson({ code, organisation, quota, series: room.series });
  printLine(`project ${code} may have ${grouped(quota)} series, and has ${grouped(room.series)}`);
}
