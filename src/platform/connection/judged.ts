import type { BridgeError } from '../../core/errors.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { quotaOf } from '../../core/rate-limit.ts';
import type { Quota } from '../../core/rate-limit.ts';
import { beginning, textOf } from './content.ts';
import { headerOf, requestName } from './layer.ts';
import type { PlatformAnswer, PlatformRequest, Send } from './layer.ts';
import type { Pacer } from './pacing.ts';
import type { Redactor } from './redaction.ts';
import { errorOfStatus } from './statuses.ts';
import type { SilenceLimit, RefusedStatus } from './statuses.ts';
import { platformWords } from './words.ts';

/** At most this many characters of the platform's own reason go into a message. */
const WORDS_LENGTH = 300;

export interface Judging {
  readonly pacer: Pacer;
  readonly redactor: Redactor;
  readonly now: () => Instant;
  readonly longestSilence: Microseconds;
}

export const isFine = (answer: PlatformAnswer, request: PlatformRequest): boolean =>
  (answer.status >= 200 && answer.status < 300) || request.expect.includes(answer.status);

/**
 * Throws the error that a status means. Where the platform asks for silence, the whole source is held (law 3). A hold may fail, because
 * the error carries the same instant to the poll path.
 */
export function judged(given: Judging, login: boolean, send: Send): Send {
  return async (request) => {
    const answer = await send(request);
    const quota = quotaOf((name) => headerOf(answer.headers, name), given.now());
    if (isFine(answer, request)) {
      if (quota !== undefined) await heedQuota(given, quota);
      return answer;
    }
    const { fault } = errorOfStatus(headOf(answer, request), silenceLimitOf(given));
    // The hold comes before the body is read, because that gives the slot back and the next request would be sent.
    if (fault.code === 'throttled') await given.pacer.hold(fault.retryAt, { why: 'throttled' }).catch(() => undefined);
    else if (answer.status === 503) await given.pacer.hold(0, { why: 'unavailable' }).catch(() => undefined);
    throw await refusedAnswerError(answer, request, given, login);
  };
}

/** A quota that is used up is waited for; another one makes the source slower where it would not last. */
async function heedQuota({ pacer, now, longestSilence }: Judging, quota: Quota): Promise<void> {
  const until = quota.remaining < 1 ? now() + Math.min(quota.reset, longestSilence) : 0;
  await pacer.hold(until, { why: 'quota', quota }).catch(() => undefined);
}

/** The error for an answer, with the platform's own reason. Reading the reason gives the slot back. */
export async function refusedAnswerError(
  answer: PlatformAnswer,
  request: PlatformRequest,
  given: Judging,
  login = false,
): Promise<BridgeError> {
  const text = textOf(await beginning(answer.body), answer);
  return errorOfStatus(
    {
      ...headOf(answer, request),
      words: given.redactor.excerpt(platformWords(text), WORDS_LENGTH),
      oauthError: login ? /"error"\s*:\s*"([a-z_]+)"/.exec(text)?.[1] : undefined,
    },
    silenceLimitOf(given),
  );
}

const silenceLimitOf = ({ now, longestSilence }: Judging): SilenceLimit => ({ now: now(), longestSilence });

/** A refusal as far as the head of the answer tells it. */
const headOf = (answer: PlatformAnswer, request: PlatformRequest): RefusedStatus => ({
  name: requestName(request),
  status: answer.status,
  words: '',
  retryAfter: headerOf(answer.headers, 'retry-after'),
  date: headerOf(answer.headers, 'date'),
  secure: request.url.protocol === 'https:',
});
