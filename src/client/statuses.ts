import { parseRetryAfterMs } from '../core/retry-after.ts';
import type { Answered } from './exchange.ts';
import { PushError, notABridge, quoted } from './fault.ts';
import type { PushFault, PushProblem } from './fault.ts';

/** The data that an error message is made with. */
export interface ErrorContext {
  readonly url: URL;
  readonly nowMs: number;
  /** Texts that must not be shown where the service quotes them. */
  readonly secrets: readonly string[];
}

/** The PushError for an answer of any other status than success; 401 is `credentials-rejected`. */
export function pushErrorOf(answered: Answered, { url, nowMs, secrets }: ErrorContext): PushError {
  const { status } = answered;
  const fault = faultOf(answered, nowMs);
  if (fault === undefined) return notABridge(`${url.origin} answers ${status}, which the service never does`);
  const problem = problemOf(answered, secrets);
  const said = problem === undefined ? oauthErrorOf(answered)?.words : `${problem.title}: ${problem.detail}`;
  const words = said === undefined ? '' : `: ${quoted(said, secrets)}`;
  return new PushError(fault, `${url.origin} answers ${status}${words}`, problem);
}

function faultOf(answered: Answered, nowMs: number): PushFault | undefined {
  const { status, headers } = answered;
  if (status === 413) return { code: 'too-large' };
  if (status === 429 || status === 503) {
    return { code: 'overloaded', status, retryAfterMs: statedWaitMs(headers, nowMs) };
  }
  if (status >= 500) return { code: 'failed', status };
  if (status < 400 || isPage(answered)) return undefined;
  if (status === 401) return { code: 'credentials-rejected' };
  if (status === 403) return { code: 'forbidden' };
  if (status === 404) return { code: 'unknown-target' };
  if (status === 408) return { code: 'unreachable', why: 'time-out' };
  return { code: 'rejected', status };
}

const statedWaitMs = (headers: Headers, nowMs: number): number | undefined =>
  parseRetryAfterMs(headers.get('retry-after') ?? undefined, headers.get('date') ?? undefined, nowMs);

/** Whether an answer is an HTML page, which comes from a captive portal, a proxy or another program. */
export const isPage = ({ headers, text }: Answered): boolean =>
  /^\s*(?:text\/html|application\/xhtml)/i.test(headers.get('content-type') ?? '') ||
  /^\s*<(?:!doctype|html)/i.test(text);

function problemOf({ text }: Answered, secrets: readonly string[]): PushProblem | undefined {
  const { type, title, status, detail } = parsedObject(text) ?? {};
  if (typeof type !== 'string' || typeof title !== 'string' || typeof status !== 'number') return undefined;
  const said = typeof detail === 'string' ? detail : '';
  return { type: quoted(type, secrets), title: quoted(title, secrets), status, detail: quoted(said, secrets) };
}

/** An error of RFC 6749, section 5.2. */
export function oauthErrorOf({ text }: Answered): { readonly error: string; readonly words: string } | undefined {
  const { error, error_description: description } = parsedObject(text) ?? {};
  if (typeof error !== 'string' || error === '') return undefined;
  return { error, words: typeof description === 'string' ? `${error}: ${description}` : error };
}

/** A JSON object; undefined for any other text. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
