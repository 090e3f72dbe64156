import type { BridgeError } from '../../core/errors.ts';
import type { Instant } from '../../core/instant.ts';
import { beginning, textOf } from './content.ts';
import { headerOf, requestName } from './layer.ts';
import type { PlatformAnswer, PlatformRequest, Send } from './layer.ts';
import type { Pacer } from './pacing.ts';
import type { Redactor } from './redaction.ts';
import { errorOfStatus } from './statuses.ts';
import type { RefusedStatus } from './statuses.ts';
import { platformWords } from './words.ts';

/** So much of what a platform says about its refusal goes into a message. */
const WORDS_LENGTH = 300;

export interface Judging {
  readonly pacer: Pacer;
  readonly redactor: Redactor;
  readonly now: () => Instant;
}

export const isFine = (answer: PlatformAnswer, request: PlatformRequest): boolean =>
  (answer.status >= 200 && answer.status < 300) || request.expect.includes(answer.status);

/** Throws what an answer's status means; a platform that asks for silence silences the whole source (law 3). */
export function judged(given: Judging, login: boolean, send: Send): Send {
  return async (request) => {
    const answer = await send(request);
    if (isFine(answer, request)) return answer;
    const { fault } = errorOfStatus(headOf(answer, request), given.now());
    if (fault.code === 'throttled') {
      // Before the body is read, for that gives the slot back and the next in line would be sent. The error carries the
      // same instant to the poll path, so a hold that fails takes nothing away from it.
      await given.pacer.hold(fault.retryAt).catch(() => undefined);
    }
    throw await refusedAnswerError(answer, request, given, login);
  };
}

/** Reads what the platform says about it, and frees the slot. */
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
    given.now(),
  );
}

/** What the head of an answer says about its refusal. */
const headOf = (answer: PlatformAnswer, request: PlatformRequest): RefusedStatus => ({
  name: requestName(request),
  status: answer.status,
  words: '',
  retryAfter: headerOf(answer.headers, 'retry-after'),
  date: headerOf(answer.headers, 'date'),
  secure: request.url.protocol === 'https:',
});
