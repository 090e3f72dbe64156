import { secretPlaces } from '../access/secret-places.ts';
import { resolveSecrets } from '../access/secret-reference.ts';
import { BridgeError, asBridgeError } from '../core/errors.ts';
import type { Settings } from '../settings.ts';
import { outgoingFetch } from '../platform/connection/outgoing.ts';
import { mailMessage } from './email.ts';
import type { AlertMessage } from './message.ts';
import type { AlertTarget } from './rules.ts';
import { NotTaken, postMessage } from './webhook.ts';

/** Why a target did not take a message. */
export interface SendFault {
  readonly message: string;
  readonly remedy: string;
  /** Nobody knows whether the message arrived. */
  readonly mayHaveArrived: boolean;
  /** The target took the message, but not for all that it is meant for. */
  readonly isTaken?: true;
}

/** Sends messages to targets. */
export type SendMessage = (target: AlertTarget, message: AlertMessage) => Promise<SendFault | undefined>;

/** Sends a message where the target lies, with its secrets as they are now. The answer is the fault, which holds no secret. */
export function senderOf({ egress }: Pick<Settings, 'egress'>): SendMessage {
  const fetch = outgoingFetch(egress);
  return async (target, message) => {
    try {
      const { webhook, email } = await resolveSecrets({ webhook: target.webhook, email: target.email }, secretPlaces());
      if (webhook !== undefined)
        await postMessage(fetch, { url: addressOf(webhook.url), key: webhook.secret }, message, Date.now());
      const refused = email === undefined ? [] : await mailMessage(email, egress.allowHosts, message);
      return refused.length === 0 ? undefined : refusedBy(refused);
    } catch (error) {
      return faultOf(error);
    }
  };
}

/** The other mailboxes have the message, so it is not sent again. */
const refusedBy = (mailboxes: readonly string[]): SendFault => ({
  message: `the mail server refused ${mailboxes.join(', ')}`,
  remedy: 'correct the addresses of the target',
  mayHaveArrived: true,
  isTaken: true,
});

function addressOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new BridgeError({ code: 'config-invalid', path: 'webhook.url' }, 'webhook.url: is not an address', {
    remedy: 'correct the variable or file that holds it',
  });
}

/** Codes of Node for connections that were never made, so that nothing was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function faultOf(error: unknown): SendFault {
  const remedy = 'check the target; databridge alerts test sends it a message now';
  if (error instanceof NotTaken) return { message: error.message, remedy, mayHaveArrived: false };
  if (error instanceof BridgeError)
    return { message: error.message, remedy: error.remedy ?? remedy, mayHaveArrived: false };
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof BridgeError) return faultOf(cause);
  const { code, responseCode } = cause as { code?: string; responseCode?: number };
  const isRedirect = cause instanceof Error && cause.message === 'unexpected redirect';
  const message = isRedirect ? 'it redirects, and no redirect is followed' : wordsOf(cause);
  const isRefused = responseCode !== undefined || NOT_CONNECTED.has(code ?? '');
  return { message, remedy, mayHaveArrived: !isRefused && !isRedirect };
}

/** Without the address of the target, which may hold a secret. */
function wordsOf(cause: unknown): string {
  const { code, name, response } = cause as { code?: string; name?: string; response?: string };
  const isLate = [name, (cause as Error).cause instanceof Error && (cause as { cause: Error }).cause.name].includes(
    'TimeoutError',
  );
  if (isLate || code === 'ETIMEDOUT') return 'it does not answer in time';
  if (response !== undefined) return `the mail server answered ${response.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  const known = {
    ECONNREFUSED: 'it refuses the connection',
    ENOTFOUND: 'its name is not known',
    ECONNRESET: 'it closed the connection',
  };
  return known[code as keyof typeof known] ?? asBridgeError(cause).message.slice(0, 200);
}
