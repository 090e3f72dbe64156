import { parseHttpDate } from '../../core/http-date.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { ANSWERS_THAT_JUDGE, provenAhead } from '../../core/platform-clock.ts';
import { headerOf } from './layer.ts';
import type { Wire } from './layer.ts';

/** What the answers of a platform show of its clock. */
export interface PlatformClock {
  /** `provenAhead` of the newest answers, at most `ANSWERS_THAT_JUDGE`; empty where none has come since the last call. */
  take(): readonly Microseconds[];
}

/** Notes what answers show, and is read by `take`. */
export class WatchedClock implements PlatformClock {
  readonly #newest: Microseconds[] = [];
  #hasNew = false;

  note(ahead: Microseconds): void {
    if (this.#newest.push(ahead) > ANSWERS_THAT_JUDGE) this.#newest.shift();
    this.#hasNew = true;
  }

  take(): readonly Microseconds[] {
    if (!this.#hasNew) return [];
    this.#hasNew = false;
    return [...this.#newest];
  }
}

/**
 * Notes the Date header of every answer from `origin`. Other servers, such as one for logins, have clocks of their own, and so
 * have gateways, whose answers are 5xx. An answer with `Age` came from a cache, so its date is old.
 */
export function watchingClock(
  { origin, now, clock }: { readonly origin: string; readonly now: () => Instant; readonly clock: WatchedClock },
  wire: Wire,
): Wire {
  return async (request, ended) => {
    const asked = now();
    const answer = await wire(request, ended);
    const { status, headers } = answer;
    if (request.url.origin !== origin || status >= 500 || headers.has('age')) return answer;
    const answered = now();
    const date = dateOf(headerOf(headers, 'date') ?? '', answered);
    if (date !== undefined) clock.note(provenAhead({ date, asked, answered }));
    return answer;
  };
}

/** The newest date that was read, because hundreds of answers a second have the same one. */
let newestDate: { readonly text: string; readonly date: Instant | undefined } | undefined;

function dateOf(text: string, answered: Instant): Instant | undefined {
  if (newestDate?.text !== text) newestDate = { text, date: parseHttpDate(text, answered) };
  return newestDate.date;
}
