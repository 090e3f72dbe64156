import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { registry } from '../../context-registry.ts';
import { formerOf } from '../../source/former.ts';
import { applySource } from '../../source/registration.ts';
import { EXIT, actor, printJson, printLine } from '../../terminal/output.ts';
import { isChange, printApplied } from './applied.ts';
import type { ApplyOptions } from './source-apply.ts';

/** `source restore`. */
export async function sourceRestore(
  name: string,
  options: ApplyOptions & { readonly organisation?: string },
): Promise<void> {
  const { dryRun = false, sameData = false, rename = false } = options;
  const { former, applied } = await withContext(async ({ database, sealing, clock }) => {
    const place = { database, sealing, registry };
    const found = await formerOf(place, { name, organisation: options.organisation });
    const wish = { now: clock.now(), actor: actor(), dryRun, sameData, rename };
    return { former: found, applied: await applySource(place, found.source, wish) };
  });
  if (dryRun && isChange(applied)) process.exitCode = EXIT.wouldChange;
  const { endedAt, endedBy, ending } = former;
  if (options.json) {
    printJson({ ...applied, endedAt: formatInstant(endedAt), endedBy, ending });
    return;
  }
  printLine(`the configuration that ${endedBy} ${ending} at ${formatInstant(endedAt)}`);
  printApplied(applied, dryRun);
}
