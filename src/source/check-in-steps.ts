import type { SourceConfig } from '../core/source/source.ts';
import type { Platform } from '../platform/contract.ts';
import { checkSource } from './check.ts';
import type { Checked, Step } from './check.ts';
import { stepDocument } from './trial-documents.ts';

/** The result of a check, beside its steps. */
export interface CheckResult extends Pick<Checked, 'requests' | 'sharesPace' | 'requestsPerSecond'> {
  readonly source: string;
  readonly organisation: string;
  readonly ok: boolean;
  /** Why the requests took no turns with the workers of the source; null where they did. */
  readonly why: string | null;
  readonly tookSeconds: number;
  readonly steps: readonly Record<string, unknown>[];
}

/**
 * Checks a source, yields each step as soon as it is done, and returns the result as a JSON document has it. `whyAlone`: the reason
 * where the check shares no pace. A check that the caller ends gives its slots back.
 */
export async function* checkInSteps(
  config: SourceConfig,
  platform: Platform,
  { whyAlone, ...given }: Parameters<typeof checkSource>[2] & { readonly whyAlone: string },
): AsyncGenerator<Step, CheckResult> {
  const begun = performance.now();
  const steps: Step[] = [];
  const checking = checkSource(config, platform, given);
  let next = await checking.next();
  try {
    while (!next.done) {
      given.signal.throwIfAborted();
      steps.push(next.value);
      yield next.value;
      next = await checking.next();
    }
  } finally {
    await checking.return({ requests: 0, sharesPace: false, requestsPerSecond: 0 });
  }
  const { requests, sharesPace, requestsPerSecond } = next.value;
  return {
    source: config.name,
    organisation: config.organisation,
    ok: steps.every(({ ok }) => ok !== false),
    requests,
    sharesPace,
    requestsPerSecond,
    why: sharesPace ? null : whyAlone,
    tookSeconds: Math.round((performance.now() - begun) / 100) / 10,
    steps: steps.map(stepDocument),
  };
}
