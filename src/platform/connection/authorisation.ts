import { AxiosHeaders } from 'axios';
import type { Authorisation, Credentials } from '../contract.ts';
import { BridgeError } from '../../core/errors.ts';
import type { Gate } from './gate.ts';
import { orAborted } from './grants.ts';
import type { ConnectionGrants } from './grants.ts';
import { discard } from './content.ts';
import { requestName } from './layer.ts';
import type { PlatformAnswer, PlatformRequest, Send } from './layer.ts';
import type { Redactor } from './redaction.ts';
import { unavailable } from './unreachable.ts';

export interface Signing {
  readonly authorisation: Authorisation;
  readonly credentials: Credentials;
  readonly redactor: Redactor;
  readonly gate: Gate;
  /** The only origin that signed requests go to. */
  readonly origin: string;
  /** Reads the reason of an answer with status 401. */
  readonly refusalOf: (answer: PlatformAnswer, request: PlatformRequest) => Promise<BridgeError>;
}

/**
 * Signs requests. Where the platform refuses one, it finds out with as few attempts as possible whether that is final.
 */
export function authorised(given: Signing, grants: ConnectionGrants | undefined, send: Send): Send {
  const attempt = grants === undefined ? withPassword(given, send) : withToken(given, grants, send);
  return async (request) => {
    const { origin } = request.url;
    if (origin !== given.origin) {
      throw new BridgeError(
        { code: 'contract-broken' },
        `${requestName(request)}: the credentials go only to ${given.origin}`,
        {
          remedy: `if the platform is at ${origin}, give that as the address of the source; otherwise correct its own public address there`,
        },
      );
    }
    given.gate.pass();
    return attempt(request);
  };
}

const SECRET_HEADER = /authorization|key|token|secret|password|cookie|session|signature/i;

const isRefused = (answer: PlatformAnswer, request: PlatformRequest): boolean =>
  answer.status === 401 && !request.expect.includes(401);

function signed(given: Signing, request: PlatformRequest, token: string | undefined): PlatformRequest {
  const headers = new AxiosHeaders(request.headers);
  for (const [name, value] of Object.entries(given.authorisation.sign(given.credentials, token))) {
    if (SECRET_HEADER.test(name)) given.redactor.learn(value.replace(/^\w+ /, ''));
    headers.set(name, value);
  }
  return { ...request, headers };
}

/** At most this many tokens may expire while their request waits for a slot; then the request fails. */
const RAN_OUT = 4;

/**
 * After one 401 the token is replaced; a second one with a fresh token is final. A token that expired while its request
 * waited for a slot is replaced without being counted, because its refusal says nothing about the credentials.
 */
function withToken(given: Signing, grants: ConnectionGrants, send: Send): Send {
  return async (request) => {
    let refused = 0;
    let ranOut = 0;
    for (let grant = await grants.valid(request.conversation); ;) {
      const answer = await send(signed(given, request, grant.token));
      if (!isRefused(answer, request)) return answer;
      if (grants.hasRunOut(grant)) ranOut += 1;
      else refused += 1;
      if (refused === 2) throw given.gate.close(await given.refusalOf(answer, request));
      await discard(answer.body);
      if (ranOut === RAN_OUT) {
        throw unavailable('time-out', `${requestName(request)}: each token expired before its request got a slot`);
      }
      given.gate.pass();
      grant = await grants.replace(grant, request.conversation);
    }
  };
}

/**
 * After one 401 the request is repeated once; a second 401 is final. Until the credentials have worked once, only one
 * request is under way, because several at once would each be a failed login, and platforms lock accounts after three.
 */
function withPassword(given: Signing, send: Send): Send {
  let proven = false;
  let trial: Promise<void> | undefined;

  const once = (request: PlatformRequest): Promise<PlatformAnswer> => {
    given.gate.pass();
    return send(signed(given, request, undefined));
  };

  async function prove(request: PlatformRequest, attempts: number): Promise<PlatformAnswer> {
    for (let left = attempts; ; left -= 1) {
      const answer = await once(request);
      if (!isRefused(answer, request)) {
        proven = answer.status < 500 && answer.status !== 429 && answer.status !== 401;
        return answer;
      }
      if (left === 1) throw given.gate.close(await given.refusalOf(answer, request));
      await discard(answer.body);
    }
  }

  return async (request) => {
    for (let left = 2; ; left -= 1) {
      while (trial) await orAborted(trial, request.conversation.signal);
      given.gate.pass();
      if (!proven) {
        const proof = prove(request, left);
        trial = proof.then(nothing, nothing).finally(() => {
          trial = undefined;
        });
        return proof;
      }
      const answer = await once(request);
      if (!isRefused(answer, request)) return answer;
      proven = false;
      if (left === 1) throw given.gate.close(await given.refusalOf(answer, request));
      await discard(answer.body);
    }
  };
}

const nothing = (): void => undefined;
