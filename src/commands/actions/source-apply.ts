import { stat } from 'node:fs/promises';
import { counted } from '../../core/counted.ts';
import { configInvalid } from '../../core/errors.ts';
import type { ConfigFile } from '../../source/configs.ts';
import { applyFiles } from '../../source/directory.ts';
import type { FilesPlace } from '../../source/directory.ts';
import type { ApplyWish } from '../../source/registration.ts';
import { withContext } from '../../context.ts';
import { EXIT, actor, printJson } from '../../terminal/output.ts';
import { isChange, printApplied } from './applied.ts';
import { applyDirectory } from './source-apply-directory.ts';
import type { DirectoryOptions } from './source-apply-directory.ts';
import { interruptible } from './stop.ts';
import { filesAt, printProblems, registryOf } from './source-files.ts';

export interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly sameData?: boolean;
  readonly rename?: boolean;
  readonly json?: boolean;
}

/** `source apply`. */
export async function sourceApply(path: string, options: ApplyOptions & DirectoryOptions): Promise<void> {
  const { dryRun = false, sameData = false, rename = false, prune = false, json = false } = options;
  const isDirectory = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  if (prune && !isDirectory)
    throw configInvalid(
      '--prune needs a directory',
      'name the directory that holds all files of its projects',
      '--prune',
    );
  const files = await filesAt(path);
  const problems = files.flatMap((one) => one.problems);
  const sound = files.filter((one) => one.problems.length === 0);
  if (problems.length > 0 && (!isDirectory || sound.length === 0)) {
    printProblems(problems, json);
    return;
  }
  let done = 0;
  const holds = (): string =>
    done === 0
      ? 'nothing was changed'
      : `${counted(done, 'source')} applied, the others are as they were; applying again goes on`;
  await interruptible(holds, async (signal) => {
    await withContext(
      async ({ database, sealing, clock }) => {
        const onApplied = (): void => {
          done += 1;
        };
        const place = { database, sealing, registryOf, signal, onApplied };
        const given = { now: clock.now(), actor: actor(), dryRun, sameData, rename };
        if (isDirectory) await applyDirectory({ place, files, given }, options);
        else await applyOne(place, files, given, json);
      },
      { mayCreate: !dryRun, signal },
    );
  });
}

async function applyOne(
  place: FilesPlace,
  files: readonly ConfigFile[],
  given: ApplyWish,
  json: boolean,
): Promise<void> {
  const [effect] = await applyFiles(place, files, given);
  if (effect?.fault) throw effect.fault;
  const applied = effect?.applied ?? [];
  if (json) printJson(applied);
  else for (const one of applied) printApplied(one, given.dryRun);
  if (given.dryRun && applied.some(isChange)) process.exitCode = EXIT.wouldChange;
}
