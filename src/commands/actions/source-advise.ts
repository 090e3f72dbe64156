import { configInvalid } from '../../core/errors.ts';
import { withContext } from '../../context.ts';
import { registry } from '../../context-registry.ts';
import { TOO_FEW, adviceDocument, adviseSource, applyAdvice } from '../../source/advise.ts';
import { findSource } from '../../source/find-source.ts';
import type { Applied } from '../../source/registration.ts';
import { EXIT, actor, printJson, printLine } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';
import { isChange, printApplied } from './applied.ts';

export interface AdviseOptions {
  readonly organisation?: string;
  readonly share: number;
  readonly apply?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `source advise`. */
export async function sourceAdvise(name: string, options: AdviseOptions): Promise<void> {
  const { organisation, share, apply = false, dryRun = false } = options;
  assertAdvised(options);
  const { advised, applied } = await withContext(async ({ database, sealing, clock }) => {
    const found = await findSource(database, { name, organisation });
    const given = await adviseSource(database, registry, found, share / 100);
    const wish = { now: clock.now(), actor: actor(), dryRun };
    return {
      advised: given,
      applied: apply ? await applyAdvice({ database, sealing, registry }, given, wish) : undefined,
    };
  });
  printAdvice(adviceDocument(advised), applied, options);
}

/** Throws `config-invalid` for options that contradict each other. */
export function assertAdvised({ apply = false, dryRun = false }: AdviseOptions): void {
  if (dryRun && !apply) throw configInvalid('--dry-run has nothing to do without --apply', 'add --apply', 'dry-run');
}

type AdviceDocument = ReturnType<typeof adviceDocument>;

/** Prints an advice, and what its application did. */
export function printAdvice(
  advised: AdviceDocument,
  applied: Applied | undefined,
  { dryRun = false, json = false }: AdviseOptions,
): void {
  if (dryRun && applied && isChange(applied)) process.exitCode = EXIT.wouldChange;
  if (json) {
    printJson({ ...advised, ...(applied && { applied }) });
    return;
  }
  for (const line of adviceInWords(advised)) printLine(line);
  if (applied) printApplied(applied, dryRun);
}

function adviceInWords({ name, share, present, advice, lookBackAtMost }: AdviceDocument): string[] {
  const now = `now: settle ${present.settle}, overlap ${present.overlap}`;
  if (advice === null) return [`${name}: ${TOO_FEW}`, `  ${now}`];
  const { settle, overlap, points, late, found, reaches } = advice;
  const percent = (part: number): string => `${Number((part * 100).toFixed(4))} %`;
  const isSame = settle === present.settle && overlap === present.overlap;
  return [
    `${name}: ${grouped(late)} of ${grouped(points)} points came late in 14 days; ${percent(found)} came within settle and overlap`,
    `  ${now}`,
    isSame
      ? `  that is what ${percent(share)} needs`
      : `  for ${percent(share)}: settle ${settle}, overlap ${overlap}${reaches ? '' : ', the longest that is proposed; they find less'}`,
    `  looks for late data end at schedule.lookBackAtMost (${lookBackAtMost}); of later points nothing is known`,
  ];
}
