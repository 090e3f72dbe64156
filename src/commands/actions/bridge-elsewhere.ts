import { BridgeError, configInvalid } from '../../core/errors.ts';
import { isMapping } from '../../core/source/path.ts';
import { outgoingFetch } from '../../platform/connection/outgoing.ts';
import { readSettings } from '../../settings.ts';
import type { ExpectedRevision } from '../../source/revision.ts';
import { keptToken, originOfBridge } from './logins.ts';

/** A document of the operator API. */
export type ApiDocument = Readonly<Record<string, unknown>>;

/** A bridge on another computer, as its operator API shows it. */
export interface BridgeElsewhere {
  /**
   * Sends a request below `/api/v1` and returns its document. Throws `config-invalid` for what the bridge refuses, `unavailable`
   * where it does not answer. With `expected` a change is refused where the source is in another state.
   */
  send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    expected?: ExpectedRevision,
  ): Promise<ApiDocument>;
  /** The items of a list, page by page, until there are `limit`. */
  list(path: string, query: Readonly<Record<string, string | undefined>>, limit: number): Promise<ApiDocument[]>;
}

const ITEMS_OF_A_PAGE = 200;

/** How long an answer may take, ms. */
const PATIENCE_MS = 60_000;

/** The bridge at an address, asked with the kept token. Throws `config-invalid` where none is kept. */
export async function bridgeAt(url: string): Promise<BridgeElsewhere> {
  const origin = originOfBridge(url);
  const token = await keptToken(origin);
  if (token === undefined)
    throw configInvalid(`no token for ${origin} is kept here`, `databridge login --url ${origin}`, '--url');
  return bridgeWith(origin, token);
}

/** The bridge at an origin, asked with a token. */
export function bridgeWith(origin: string, token: string): BridgeElsewhere {
  const ask = outgoingFetch(readSettings(process.env).egress);
  const send: BridgeElsewhere['send'] = async (method, path, body, expected) => {
    let answer: Response;
    try {
      answer = await ask(new URL(`${origin}/api/v1${path}`), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(expected === null && { 'if-none-match': '*' }),
          ...(typeof expected === 'string' && { 'if-match': `"${expected}"` }),
        },
        body: body === undefined ? '' : JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch (error) {
      if (error instanceof BridgeError) throw error;
      throw new BridgeError({ code: 'unavailable', why: 'refused' }, `${origin} does not answer`, {
        remedy: 'check the address, and that databridge up runs there',
        cause: error,
      });
    }
    const document = await answer.json().catch(() => undefined);
    if (answer.ok && isMapping(document)) return document;
    throw refusal(origin, answer.status, isMapping(document) ? document : {});
  };
  return {
    send,
    async list(path, query, limit) {
      const items: ApiDocument[] = [];
      let cursor: string | undefined;
      do {
        const wanted = { ...query, cursor, limit: String(Math.min(ITEMS_OF_A_PAGE, limit - items.length)) };
        const given = Object.entries(wanted).filter((one): one is [string, string] => one[1] !== undefined);
        const page = await send('GET', `${path}?${new URLSearchParams(given)}`);
        items.push(...(page['items'] as ApiDocument[]));
        cursor = (page['next'] as string | null) ?? undefined;
      } while (cursor !== undefined && items.length < limit);
      return items;
    },
  };
}

function refusal(origin: string, status: number, { detail, remedy }: ApiDocument): BridgeError {
  const message = typeof detail === 'string' ? detail : `${origin} answers ${status}, and not as the operator API does`;
  if (status === 401)
    return configInvalid(`${origin} does not accept the token: ${message}`, `databridge login --url ${origin}`);
  const fault =
    status >= 400 && status < 500 && status !== 429
      ? ({ code: 'config-invalid' } as const)
      : ({ code: 'unavailable', why: 'status', status } as const);
  return new BridgeError(fault, message, { remedy: typeof remedy === 'string' ? remedy : undefined });
}
