import { formatBytes } from '../../core/bytes.ts';
import { counted } from '../../core/counted.ts';
import { formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { keepInWords } from '../../core/keep.ts';
import { withContext } from '../../context.ts';
import { nextBound } from '../../upkeep/kept-bound.ts';
import { oldReadings, limitedProjects, trimProjects } from '../../upkeep/retention.ts';
import type { OldReadings, Trimmed } from '../../upkeep/retention.ts';
import { keepDocument, oldDocument, projectKeep, setHold, setKeep } from '../../source/project-keep.ts';
import type { ProjectKeep } from '../../source/project-keep.ts';
import { EXIT, actor, printJson, printLine } from '../../terminal/output.ts';
import { assertClocksAgree } from './clocks-agree.ts';
import { interruptible } from './stop.ts';

interface ProjectOptions {
  readonly organisation: string;
  readonly json?: boolean;
}

const dayText = (instant: Instant): string => formatInstant(instant).slice(0, 10);

/** `project keep`. */
export async function projectKeeps(
  code: string,
  keep: string,
  { organisation, json, dryRun = false }: ProjectOptions & { readonly dryRun?: boolean },
): Promise<void> {
  const { old, next, ...project } = await withContext(async ({ database }) => {
    const set = await setKeep(database, { organisation, code }, { keep, dryRun, actor: actor() });
    return { ...set, next: dryRun || json ? undefined : await nextBound(database, set.id) };
  });
  if (json) return printJson({ ...keepDocument(project), dryRun, old: old === null ? null : oldDocument(old) });
  if (old !== null) {
    printLine(`${code} with ${keepInWords(project.keep)}: ${oldInWords(old)}`);
    return printHold(project);
  }
  for (const line of keepLines(project)) printLine(line);
  if (next === undefined || next.at === null) return;
  const bound = dayText(next.at);
  printLine(
    `databridge up takes readings from before ${bound} out of sight within ten minutes, databridge project trim ${code} at once`,
  );
  printLine(`they do not come back then; databridge project keep ${code} forever keeps them before that`);
}

/** How long a project keeps its readings, in lines. */
export function* keepLines(project: ProjectKeep): Iterable<string> {
  const { code, keep, keptFrom, hold } = project;
  yield `project ${code} keeps its readings ${keep === null ? 'for ever' : `for ${keep}`}${keptFrom === null ? '' : `; none from before ${dayText(keptFrom)} is kept`}`;
  if (hold !== null) yield holdInWords(hold);
}

export const holdInWords = ({ reason, by, at }: NonNullable<ProjectKeep['hold']>): string =>
  `on hold since ${dayText(at)} by ${by}, so nothing of it is removed: ${reason}`;

function printHold({ hold }: ProjectKeep): void {
  if (hold !== null) printLine(holdInWords(hold));
}

function oldInWords({ bound, days, rows, archivedReadings, archivedBytes }: OldReadings): string {
  if (bound === null || days === 0) return 'no reading would go';
  const files =
    archivedReadings === 0
      ? ''
      : ` and ${counted(archivedReadings, 'reading')} in ${formatBytes(archivedBytes)} of files`;
  return `${counted(days, 'day')} from before ${dayText(bound)} would go, ${counted(rows, 'row')}${files}`;
}

/** `project trim`. */
export async function projectTrim(
  code: string | undefined,
  { organisation, json, dryRun = false }: ProjectOptions & { readonly dryRun?: boolean },
): Promise<void> {
  await interruptible('what was removed is gone; the next run goes on', (signal) =>
    withContext(async ({ database, clock }) => {
      const project = code === undefined ? undefined : await projectKeep(database, { organisation, code });
      if (dryRun) {
        const projects = [];
        for (const one of await limitedProjects(database, project?.id)) {
          const old = await oldReadings(database, one.id);
          projects.push({ code: one.code, organisation: one.organisation, ...oldDocument(old) });
          if (!json) printLine(`${one.code}: ${oldInWords(old)}`);
        }
        if (json) printJson({ projects });
        else if (projects.length === 0) printLine(NOTHING_LIMITED);
        return;
      }
      // By a clock that is ahead all readings would be too old.
      assertClocksAgree(clock, 'removes');
      const steps: ReturnType<typeof stepDocument>[] = [];
      for await (const step of trimProjects(database, { projectId: project?.id, signal })) {
        steps.push(stepDocument(step));
        if (!json) printLine(`${step.code}${stepInWords(step)}`);
      }
      // Programs that open the directory see no file that was given up.
      if (database.archive !== undefined && steps.some((step) => step.days > 0))
        await (await import('../../archive/keep.ts')).sweep(database);
      if (json) printJson({ steps });
      else if (steps.length === 0) printLine(NOTHING_LIMITED);
      if (signal.aborted || steps.some(({ outcome }) => outcome === 'busy')) process.exitCode = EXIT.failed;
    }),
  );
}

const NOTHING_LIMITED = 'all readings are kept for ever';

const stepDocument = ({ code, organisation, ...step }: Trimmed) => ({
  code,
  organisation,
  outcome: step.outcome,
  before: step.outcome === 'bound' ? formatInstant(step.bound) : null,
  day: step.outcome === 'removed' ? dayText(step.day) : null,
  days: step.outcome === 'bound' ? step.archivedDays : 0,
  readings: step.outcome === 'bound' ? step.archivedReadings : step.outcome === 'removed' ? step.readings : 0,
  bytes: step.outcome === 'bound' ? step.archivedBytes : 0,
});

function stepInWords(step: Trimmed): string {
  switch (step.outcome) {
    case 'held':
      return ' is on hold: nothing is removed';
    case 'empty':
      return ' has no readings yet';
    case 'busy':
      return ': another process removes its old readings';
    case 'removed':
      return ` ${dayText(step.day)}: ${counted(step.readings, 'row')} removed`;
    case 'bound':
      return ` keeps readings from ${dayText(step.bound)} on${step.archivedDays === 0 ? '' : `: ${counted(step.archivedDays, 'archived day')} with ${counted(step.archivedReadings, 'reading')} given up, ${formatBytes(step.archivedBytes)} of files`}`;
  }
}

/** `project hold`. */
export async function projectHold(
  code: string,
  { organisation, json, reason }: ProjectOptions & { readonly reason: string },
): Promise<void> {
  await holds({ organisation, code }, { json, reason });
}

/** `project unhold`. */
export async function projectUnhold(code: string, { organisation, json }: ProjectOptions): Promise<void> {
  await holds({ organisation, code }, { json, reason: undefined });
}

async function holds(
  wanted: { readonly organisation: string; readonly code: string },
  { json, reason }: { readonly json: boolean | undefined; readonly reason: string | undefined },
): Promise<void> {
  const { changed, project } = await withContext(({ database }) =>
    setHold(database, wanted, { reason, actor: actor() }),
  );
  if (json) return printJson({ ...keepDocument(project), changed });
  if (project.hold !== null) printLine(`project ${wanted.code} is ${holdInWords(project.hold)}`);
  else printLine(changed ? `project ${wanted.code} is on hold no more` : `project ${wanted.code} is not on hold`);
}
