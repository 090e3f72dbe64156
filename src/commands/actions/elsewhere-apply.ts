import { stat } from 'node:fs/promises';
import { configInvalid } from '../../core/errors.ts';
import type { Applied } from '../../source/registration.ts';
import type { ExpectedRevision } from '../../source/revision.ts';
import { EXIT, printJson } from '../../terminal/output.ts';
import { isChange, printApplied } from './applied.ts';
import { bridgeAt } from './bridge-elsewhere.ts';
import { revisionAt } from './elsewhere-sources.ts';
import type { ApplyOptions } from './source-apply.ts';
import { filesAt, printProblems } from './source-files.ts';

/**
 * `source apply` on a bridge elsewhere. The file is read and checked here; the bridge gets each source as it is written, with the rows
 * of its table.
 */
export const applyElsewhere =
  (url: string) =>
  async (path: string, { dryRun = false, sameData = false, rename = false, json = false }: ApplyOptions) => {
    if ((await stat(path).catch(() => undefined))?.isDirectory())
      throw configInvalid('a directory cannot be applied with --url', 'apply its files one by one', '--url');
    const files = await filesAt(path);
    const problems = files.flatMap((one) => one.problems);
    if (problems.length > 0) {
      printProblems(problems, json);
      return;
    }
    const bridge = await bridgeAt(url);
    const sources = files.flatMap((one) => one.sources);
    // A change by another operator after the source was read here, or after the trial below, is not overwritten.
    const revisions: ExpectedRevision[] = [];
    for (const source of sources) revisions.push(await revisionAt(bridge, source));
    const apply = async (dry: boolean): Promise<readonly Applied[]> => {
      const applied: Applied[] = [];
      for (const [index, { raw }] of sources.entries()) {
        const query = new URLSearchParams({ dryRun: String(dry), sameData: String(sameData), rename: String(rename) });
        const document = await bridge.send('POST', `/sources/apply?${query}`, raw, revisions[index]);
        applied.push(document as unknown as Applied);
      }
      return applied;
    };
    // All are tried first, so that an error that can be foreseen leaves the whole file out.
    const tried = await apply(true);
    const applied = dryRun ? tried : await apply(false);
    if (json) printJson(applied);
    else for (const one of applied) printApplied(one, dryRun);
    if (dryRun && applied.some(isChange)) process.exitCode = EXIT.wouldChange;
  };
