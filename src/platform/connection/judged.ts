import type { BridgeError } from '../../core/errors.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
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

/** Throws the error that a status means. Where the platform asks for silence, the whole source is held (law 3). */
export function judged(given: Judging, login: boolean, send: Send): Send {
  return async (request) => {
    const answer = await send(request);
    if (isFine(answer, request)) return answer;
    const { fault } = errorOfStatus(headOf(answer, request), silenceLimitOf(given));
    if (fault.code === 'throttled') {
      // The hold comes before the body is read, because that gives the slot back and the next request would be sent. A
      // hold may fail, because the error carries the same instant to the poll path.
      await given.pacer.hold(fault.retryAt).catch(() => undefined);
    }
    throw await refusedAnswerError(answer, request, given, login);
  };
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
