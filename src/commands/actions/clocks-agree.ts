import { configInvalid } from '../../core/errors.ts';
import { clocksInWords } from '../../database/clock.ts';
import type { SharedClock } from '../../database/clock.ts';

/** Throws `config-invalid` while the clocks of host and database disagree: `this host moves nothing`. */
export function assertClocksAgree(
  { now, disagreement }: Pick<SharedClock, 'now' | 'disagreement'>,
  does: string,
): void {
  const ahead = disagreement();
  if (ahead === undefined) return;
  throw configInvalid(
    `this host ${does} nothing: ${clocksInWords(ahead, now())}`,
    'set both clocks by NTP; which of them is wrong cannot be known here',
  );
}
