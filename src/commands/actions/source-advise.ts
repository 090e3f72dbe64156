import { formatDuration } from '../../core/duration.ts';
import { configInvalid } from '../../core/errors.ts';
import { withContext } from '../../context.ts';
import { registry } from '../../context-registry.ts';
import { TOO_FEW, adviceDocument, adviseSource, applyAdvice } from '../../source/advise.ts';
import type { SourceAdvice } from '../../source/advise.ts';
import { findSource } from '../../source/find-source.ts';
import { EXIT, actor, printJson, printLine } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';
import { isChange, printApplied } from './applied.ts';

interface AdviseOptions {
  readonly organisation?: string;
  readonly share: number;
  readonly apply?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `source advise`. */
export async function sourceAdvise(name: string, options: AdviseOptions): Promise<void> {
  const { organisation, share, apply = false, dryRun = false, json } = options;
  if (dryRun && !apply) throw configInvalid('--dry-run has nothing to do without --apply', 'add --apply', 'dry-run');
  const { advised, applied } = await withContext(async ({ database, sealing, clock }) => {
    const found = await findSource(database, { name, organisation });
    const given = await adviseSource(database, registry, found, share / 100);
    const wish = { now: clock.now(), actor: actor(), dryRun };
    return {
      advised: given,
      applied: apply ? await applyAdvice({ database, sealing, registry }, given, wish) : undefined,
    };
  });
  if (dryRun && applied && isChange(applied)) process.exitCode = EXIT.wouldChange;
  if (json) return printJson({ ...adviceDocument(advised), ...(applied && { applied }) });
  for (const line of adviceInWords(advised)) printLine(line);
  if (applied) printApplied(applied, dryRun);
}

function adviceInWords({ name, share, present, advice, lookBackAtMost }: SourceAdvice): string[] {
  const now = `now: settle ${formatDuration(present.settle)}, overlap ${formatDuration(present.overlap)}`;
  if (advice === null) return [`${name}: ${TOO_FEW}`, `  ${now}`];
  const { settle, overlap, points, late, found, reaches } = advice;
  const percent = (part: number): string => `${Number((part * 100).toFixed(4))} %`;
  const isSame = settle === present.settle && overlap === present.overlap;
  return [
    `${name}: ${grouped(late)} of ${grouped(points)} points came late in 14 days; ${percent(found)} came within settle and overlap`,
    `  ${now}`,
    isSame
      ? `  that is what ${percent(share)} needs`
      : `  for ${percent(share)}: settle ${formatDuration(settle)}, overlap ${formatDuration(overlap)}${reaches ? '' : ', the longest that is proposed; they find less'}`,
    `  looks for late data end at schedule.lookBackAtMost (${formatDuration(lookBackAtMost)}); of later points nothing is known`,
  ];
}
