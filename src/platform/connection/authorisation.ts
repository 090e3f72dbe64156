import { AxiosHeaders } from 'axios';
import type { Authorisation, Credentials } from '../contract.ts';
import type { Attempt } from './account.ts';
import { BridgeError, rightMissing } from '../../core/errors.ts';
import type { Gate } from './gate.ts';
import type { ConnectionGrants } from './grants.ts';
import { discard } from './content.ts';
import { requestName } from './layer.ts';
import type { PlatformAnswer, PlatformRequest, Send } from './layer.ts';
import type { Redactor } from './redaction.ts';
import { tellingRefusals, withFields } from './token-in-body.ts';
import { unavailable } from './unreachable.ts';

export interface Signing {
  readonly authorisation: Authorisation;
  readonly credentials: Credentials;
  /** The options of the source. */
  readonly options: unknown;
  readonly redactor: Redactor;
  readonly gate: Gate;
  /** A use of the secret by a request. */
  readonly attempt: () => Attempt;
  /** The only origin that signed requests go to. */
  readonly origin: string;
  /** Reads the reason of an answer with status 401. */
  readonly refusalOf: (answer: PlatformAnswer, request: PlatformRequest) => Promise<BridgeError>;
}

/**
 * Signs requests. Where the platform refuses one, it finds out with as few attempts as possible whether that is final.
 */
export function authorised(given: Signing, grants: ConnectionGrants | undefined, wire: Send): Send {
  const send = tellingRefusals(given.authorisation.refusesToken, wire);
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
  for (const [name, value] of Object.entries(given.authorisation.sign(given.credentials, token, given.options))) {
    if (SECRET_HEADER.test(name)) given.redactor.learn(value.replace(/^\w+ /, ''));
    headers.set(name, value);
  }
  const fields = token === undefined ? undefined : given.authorisation.signBody?.(token);
  return { ...request, headers, data: fields === undefined ? request.data : withFields(request, fields) };
}

/** The login worked, so neither user nor secret is at fault. */
const refusedAgain = ({ fault, message }: BridgeError): BridgeError =>
  new BridgeError(fault, message, {
    remedy:
      'the platform refuses a token that is new: check that the token is meant for it (scope, audience or resource), and the rights of the user or client; then resume the source',
  });

/** Another source has the same credentials, and is answered. */
const refusedHereAlone = ({ message }: BridgeError): BridgeError =>
  rightMissing(
    `${message}; other sources with the same credentials are answered`,
    'let the administrator of the platform give the user or client of this source the right to read what this source asks for; then resume the source',
  );

/** At most this many tokens may expire while their request waits for a slot; then the request fails. */
const RAN_OUT = 4;

/**
 * After one 401 the token is replaced; a second one with a fresh token is final. A token that expired while its request
 * waited for a slot is replaced without being counted, because its refusal says nothing about the credentials.
 */
function withToken(given: Signing, grants: ConnectionGrants, send: Send): Send {
  const passGate = async (): Promise<boolean> => {
    given.gate.pass();
    return true;
  };
  const permit = { mayLeave: passGate, isReady: passGate };
  return async (request) => {
    let refused = 0;
    let ranOut = 0;
    for (let grant = await grants.valid(request.conversation); ;) {
      const answer = await send({ ...signed(given, request, grant.token), permit });
      if (!isRefused(answer, request)) return answer;
      if (grants.hasRunOut(grant)) ranOut += 1;
      else refused += 1;
      if (refused === 2) throw given.gate.close(refusedAgain(await given.refusalOf(answer, request)));
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
 * Each request carries the secret. A refused one is repeated as the probe of its account (account.ts), unless the account
 * was refused often enough by then. A refusal is noted before the slot is given back, so at most as many requests are
 * refused as the pace lets be under way at a time.
 */
function withPassword(given: Signing, send: Send): Send {
  return async (request) => {
    const attempt = given.attempt();
    const carrying = { ...signed(given, request, undefined), permit: attempt.permit };
    try {
      for (;;) {
        const answer = await send(carrying);
        try {
          if (!isRefused(answer, request)) {
            if (answer.status < 500 && answer.status !== 429 && answer.status !== 401) await attempt.accepted();
            return answer;
          }
          const atFault = await attempt.refused();
          if (atFault !== undefined) {
            const refusal = await given.refusalOf(answer, request);
            if (atFault === 'right') throw given.gate.close(refusedHereAlone(refusal));
            await attempt.explained(refusal.message);
            throw given.gate.close(refusal);
          }
        } catch (error) {
          await discard(answer.body);
          throw error;
        }
        await discard(answer.body);
      }
    } finally {
      await attempt.ended();
    }
  };
}
