import { counted } from '../../core/counted.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { ConfigFile } from '../../source/configs.ts';
import { applyFiles, leftoversOf } from '../../source/directory.ts';
import type { FileEffect, FilesPlace, Leftover } from '../../source/directory.ts';
import type { ApplyWish } from '../../source/registration.ts';
import { changeSource } from '../../source/state-change.ts';
import { confirm } from '../../terminal/confirm.ts';
import { EXIT, printJson, printLine } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';
import { isChange, printApplied } from './applied.ts';
import { printProblems } from './source-files.ts';

export interface DirectoryOptions {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Work {
  readonly place: FilesPlace;
  readonly files: readonly ConfigFile[];
  readonly given: ApplyWish;
}

/** Applies the files of a directory, tells the sources that only the bridge has, and removes them where that is wanted. */
export async function applyDirectory({ place, files, given }: Work, options: DirectoryOptions): Promise<void> {
  const { prune = false, yes = false, json = false } = options;
  const { dryRun, actor } = given;
  const { database } = place;
  const sound = files.filter(({ problems }) => problems.length === 0);
  const problems = files.flatMap((one) => one.problems);
  // A source whose file cannot be read would look like one that has none.
  const leftovers =
    problems.length > 0
      ? undefined
      : await leftoversOf(
          database,
          sound.flatMap(({ sources }) => sources),
        );
  const removable = prune && leftovers !== undefined ? leftovers : [];
  if (removable.length > 0 && !dryRun && !yes) {
    // Where a file cannot be applied nothing is removed, so that is found before the question.
    const planned = await applyFiles(place, sound, { ...given, dryRun: true });
    if (planned.every(({ fault }) => fault === undefined) && !(await asked(removable, json))) {
      printLine('nothing was changed');
      process.exitCode = EXIT.failed;
      return;
    }
  }
  const effects = await applyFiles(place, sound, given);
  const complete = problems.length === 0 && effects.every(({ fault }) => fault === undefined);
  const removed = complete ? removable : [];
  if (!dryRun) for (const one of removed) await changeSource(database, 'remove', one, actor);

  const done: Done = { effects, leftovers, removed, dryRun, prune };
  if (json) printJson(document(done, files));
  else tell(done, files);
  if (!complete) process.exitCode = EXIT.usage;
  else if (dryRun && (removed.length > 0 || effects.some(({ applied }) => applied.some(isChange))))
    process.exitCode = EXIT.wouldChange;
}

async function asked(removable: readonly Leftover[], json: boolean): Promise<boolean> {
  if (!json) for (const one of removable) printLine(`source ${titleOf(one)} is in no file`);
  const them = removable.length === 1 ? 'it and its coverage' : `these ${removable.length} sources and their coverage`;
  return await confirm(`Apply the files and remove ${them}? Readings and last configurations stay.`);
}

interface Done {
  readonly effects: readonly FileEffect[];
  /** Undefined where a file has a problem. */
  readonly leftovers: readonly Leftover[] | undefined;
  readonly removed: readonly Leftover[];
  readonly dryRun: boolean;
  readonly prune: boolean;
}

const document = ({ effects, leftovers, removed, dryRun }: Done, files: readonly ConfigFile[]): object => ({
  dryRun,
  files: files.map(({ file, problems }) => {
    const { applied = [], fault } = effects.find((one) => one.file === file) ?? {};
    const error = fault && { message: fault.message, remedy: fault.remedy ?? null };
    return { file, sources: applied, problems, error: error ?? null };
  }),
  onlyInBridge: leftovers ?? null,
  removed,
});

function tell(done: Done, files: readonly ConfigFile[]): void {
  const { effects, leftovers, removed, dryRun, prune } = done;
  for (const { file, applied } of effects) for (const one of applied.filter(isChange)) printApplied(one, dryRun, file);
  const gone = new Set(removed);
  for (const one of leftovers ?? []) {
    const is = gone.has(one) ? `${dryRun ? 'would be ' : ''}removed: it is in no file` : 'is only in the bridge';
    printLine(`source ${titleOf(one)} ${is}, project ${one.project}`);
  }
  printLine(inWords(done, files.length));
  if (prune && removed.length === 0 && (leftovers === undefined || leftovers.length > 0))
    printLine('nothing is removed while a file is wrong');
  printFaults(done, files);
}

function printFaults({ effects }: Done, files: readonly ConfigFile[]): void {
  const problems = files.flatMap((one) => one.problems);
  if (problems.length > 0) printProblems(problems, false);
  for (const { file, fault } of effects) {
    if (fault !== undefined) process.stderr.write(`error: ${file}: ${fault.message}\n  try: ${fault.remedy ?? ''}\n`);
  }
}

/** `12 files: 1 source created, 2 changed, 9 unchanged, 1 removed; 1 only in the bridge; 1 file is wrong`. */
function inWords({ effects, leftovers, removed, dryRun }: Done, files: number): string {
  const applied = effects.flatMap((one) => one.applied);
  const count = (action: string): number => applied.filter((one) => one.action === action).length;
  const parts = [
    [count('created'), dryRun ? 'to create' : 'created'],
    [count('changed'), dryRun ? 'to change' : 'changed'],
    [removed.length, dryRun ? 'to remove' : 'removed'],
    [count('unchanged'), 'unchanged'],
  ] as const;
  const sources = parts.filter(([number]) => number > 0).map(([number, word]) => `${grouped(number)} ${word}`);
  const only = (leftovers?.length ?? 0) - removed.length;
  const wrong = files - effects.filter(({ fault }) => fault === undefined).length;
  return [
    `${counted(files, 'file')}: ${sources.length > 0 ? sources.join(', ') : 'no source'}`,
    ...(only > 0 ? [`${grouped(only)} only in the bridge`] : []),
    ...(wrong > 0 ? [`${grouped(wrong)} ${wrong === 1 ? 'file is' : 'files are'} wrong and left out`] : []),
  ].join('; ');
}
