import { parseHttpDate } from '../../core/http-date.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { ANSWERS_THAT_JUDGE, provenAhead } from '../../core/platform-clock.ts';
import { headerOf } from './layer.ts';
import type { PlatformAnswer, Wire } from './layer.ts';

/** What the answers of a platform show of its clock. */
export interface PlatformClock {
  /** `provenAhead` of the newest answers, at most `ANSWERS_THAT_JUDGE`; empty where none has come since the last call. */
  take(): readonly Microseconds[];
}

/**
 * Notes the Date header of every answer from `origin`. Other servers, such as one for logins, have clocks of their own, and so
 * have gateways, whose answers are 5xx. An answer with `Age` came from a cache, so its date is old.
 */
export function watchingClock(
  { origin, now }: { readonly origin: string; readonly now: () => Instant },
  wire: Wire,
): { readonly wire: Wire; readonly clock: PlatformClock } {
  const newest: Microseconds[] = [];
  let hasNew = false;

  function note({ status, headers }: PlatformAnswer, asked: Instant): void {
    if (status >= 500 || headerOf(headers, 'age') !== undefined) return;
    const answered = now();
    const date = dateOf(headerOf(headers, 'date') ?? '', answered);
    if (date === undefined) return;
    newest.push(provenAhead({ date, asked, answered }));
    if (newest.length > ANSWERS_THAT_JUDGE) newest.shift();
    hasNew = true;
  }

  return {
    async wire(request, ended) {
      const asked = now();
      const answer = await wire(request, ended);
      if (request.url.origin === origin) note(answer, asked);
      return answer;
    },
    clock: {
      take() {
        if (!hasNew) return [];
        hasNew = false;
        return [...newest];
      },
    },
  };
}

/** The newest date that was read, because hundreds of answers a second have the same one. */
let newestDate: { readonly text: string; readonly date: Instant | undefined } | undefined;

function dateOf(text: string, answered: Instant): Instant | undefined {
  if (newestDate?.text !== text) newestDate = { text, date: parseHttpDate(text, answered) };
  return newestDate.date;
}
