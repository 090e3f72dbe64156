import { AxiosHeaders } from 'axios';
import { BridgeError } from '../../core/errors.ts';
import { discard } from './content.ts';
import { headerOf, requestName } from './layer.ts';
import type { PlatformAnswer, PlatformRequest, Send } from './layer.ts';

const MAX_HOPS = 3;

/**
 * Follows at most three redirects within one origin; each is paced and counted as a request of its own. A redirect to
 * another origin is `contract-broken`, because it would take the credentials there; the remedy names the target.
 */
export function redirected(send: Send): Send {
  return async (request) => {
    let current = request;
    for (let hops = 0; ; hops += 1) {
      const answer = await send(current);
      const location = targetOf(answer, current);
      if (location === undefined) return answer;
      await discard(answer.body);
      if (hops === MAX_HOPS) {
        throw broken(
          `${requestName(request)}: redirected more than ${MAX_HOPS} times`,
          'check the path of the address',
        );
      }
      current = follow(current, answer.status, location);
    }
  };
}

function targetOf(answer: PlatformAnswer, request: PlatformRequest): string | undefined {
  if (request.expect.includes(answer.status) || ![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  return headerOf(answer.headers, 'location');
}

function follow(request: PlatformRequest, status: number, location: string): PlatformRequest {
  const name = requestName(request);
  if (!URL.canParse(location, request.url.href)) {
    throw broken(`${name}: redirected to something that is not an address`, 'check the path of the address');
  }
  const url = new URL(location, request.url);
  if (url.origin !== request.url.origin) {
    const target = `${url.protocol}//${url.host}`;
    throw broken(
      `${name}: redirected to ${target}, where the credentials do not go`,
      `if ${target} is the platform, give it as the address of the source`,
    );
  }
  url.username = '';
  url.password = '';
  if (status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD') {
    return { ...request, url };
  }
  // As in the fetch standard, 301, 302 and 303 turn a POST into a GET without a body.
  const headers = new AxiosHeaders(request.headers);
  for (const header of ['content-type', 'content-length', 'content-encoding']) headers.delete(header);
  return { ...request, url, method: 'GET', headers, data: undefined };
}

const broken = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'contract-broken' }, message, { remedy });
