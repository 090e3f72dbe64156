import { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import { collect, textOf } from './content.ts';
import { requestName } from './layer.ts';
import type { PlatformRequest, Send } from './layer.ts';

/** The body of a request with further fields. A body that is no JSON object is a `bug`, because it could not be signed. */
export function withFields(request: PlatformRequest, fields: Readonly<Record<string, string>>): unknown {
  const { data } = request;
  if (data === undefined || data === null) return data;
  const body: unknown = typeof data === 'string' ? parsed(data) : undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new BridgeError({ code: 'bug' }, `${requestName(request)}: only a JSON object can be signed in its body`);
  }
  return JSON.stringify({ ...body, ...fields });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An answer with status 200 that refuses the token becomes one with 401, so that the layers above see one kind of refusal. */
export function tellingRefusals(refuses: ((text: string) => boolean) | undefined, send: Send): Send {
  if (refuses === undefined) return send;
  return async (request) => {
    const answer = await send(request);
    if (answer.status !== 200) return answer;
    const bytes = await collect(answer.body);
    const body = Readable.from([bytes], { objectMode: false });
    return refuses(textOf(bytes, answer))
      ? { ...answer, status: 401, statusText: 'Unauthorized', body }
      : { ...answer, body };
  };
}
