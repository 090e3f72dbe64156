import { STATUS_CODES } from 'node:http';
import { formatDuration } from '../../core/duration.ts';
import { BridgeError, credentialsRejected, rightMissing, tooMuch } from '../../core/errors.ts';
import { SECOND, formatInstant } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { parseRetryAfter } from '../../core/retry-after.ts';
import { oauthRefusal } from './oauth-errors.ts';
import { UNREACHABLE_REMEDIES, speaksTls } from './unreachable.ts';

/** An answer that is not a success. */
export interface RefusedStatus {
  /** The name of the request in messages. */
  readonly name: string;
  readonly status: number;
  /** The platform's own words, redacted and shortened; '' where it has none. */
  readonly words: string;
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  readonly secure: boolean;
  /** OAuth's error code where the request was a login: it tells a wrong secret from a wrong request. */
  readonly oauthError?: string | undefined;
}

/** The wait where a platform asks to slow down and names no time; the poll path makes it longer after each refusal. */
const OWN_WAIT = 5 * SECOND;

export const CHECK_CREDENTIALS =
  'check user, password or secret in the connection of the source with the administrator of the platform, then resume each source that has them';

const SLOW_DOWN =
  'nothing to do if it passes; otherwise lower pace.requestsPerSecond of the source or ask the administrator of the platform for a higher quota; `databridge source poll` asks again at once';

/** The words with which common servers (nginx, Go, Tomcat) answer plain http on their https port. */
const WANTS_HTTPS = /plain http request was sent to https|http request to an https server|requires tls/i;

/** The clock, and how long the source lets a platform silence it. */
export interface SilenceLimit {
  readonly now: Instant;
  readonly longestSilence: Microseconds;
}

/** The error for an answer that is not a success, by its status. */
export function errorOfStatus(refusal: RefusedStatus, limit: SilenceLimit): BridgeError {
  const { status } = refusal;
  const words = [...new Set([refusal.oauthError, refusal.words])].filter(Boolean).join(': ');
  const said = `${status} ${STATUS_CODES[status] ?? ''}`.trim() + (words === '' ? '' : `: ${words}`);
  const message = `${refusal.name}: ${said}`;
  const wait = parseRetryAfter(refusal.retryAfter, refusal.date, limit.now);
  if (status === 400 || status === 401 || status === 403) {
    const refused = oauthRefusal(refusal.oauthError, message);
    if (refused) return refused;
  }
  switch (status) {
    case 400:
      if (!refusal.secure && WANTS_HTTPS.test(words)) return speaksTls(refusal.name);
      return broken(
        message,
        'the platform does not understand the question: check the options of the source and the version of the platform',
      );
    case 401:
      return credentialsRejected(message, CHECK_CREDENTIALS);
    case 403:
      return rightMissing(
        message,
        'let the administrator of the platform give the user or client of this source the right to read this',
      );
    case 404:
      return broken(message, 'check the path of the address and the names in the options of the source');
    case 408:
      return unavailable('time-out', status, message);
    case 413:
      return tooMuch(message);
    case 429:
      return slowDown(message, wait, limit);
    case 503:
      return wait === undefined ? unavailable('status', status, message) : slowDown(message, wait, limit);
    default:
      if (status >= 500) return unavailable('status', status, message);
      return broken(message, 'check the address and the version of the platform');
  }
}

/** `wait`: the silence that the platform asks for; undefined where it names none. */
function slowDown(message: string, wait: Microseconds | undefined, { now, longestSilence }: SilenceLimit): BridgeError {
  const retryAt = now + Math.min(wait ?? OWN_WAIT, longestSilence);
  const capped =
    wait === undefined || wait <= longestSilence
      ? ''
      : `; the platform asks for ${formatDuration(wait)} of silence, and pace.longestSilence grants ${formatDuration(longestSilence)}`;
  return new BridgeError(
    { code: 'throttled', retryAt, stated: wait !== undefined },
    `${message}${capped}; waiting until ${formatInstant(retryAt)}`,
    { remedy: SLOW_DOWN },
  );
}

const unavailable = (why: 'time-out' | 'status', status: number, message: string): BridgeError =>
  new BridgeError({ code: 'unavailable', why, status }, message, { remedy: UNREACHABLE_REMEDIES[why] });

const broken = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'contract-broken' }, message, { remedy });
