import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConnectionParts, ConnectionSettings } from '../../src/platform/connection/index.ts';
import type { Authorisation, Http } from '../../src/platform/contract.ts';
import { bodyOf, json, openRig, serve } from './connection-rig.ts';

/** A token server and an API on loopback, for the unit tests of OAuth2. */

export interface AskedToken {
  readonly call: string;
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

type Answer = (response: ServerResponse, asked: AskedToken) => void;

export interface AuthServer {
  readonly url: string;
  readonly asked: AskedToken[];
  /** Answers by `GET /path`; any other request gets 404. */
  readonly answers: Record<string, Answer>;
}

export const OIDC = 'GET /tenant/.well-known/openid-configuration';
export const RFC_8414 = 'GET /.well-known/oauth-authorization-server/tenant';

/** Gives `t1`, `t2`, … */
export function tokens(more: object = {}): Answer {
  let given = 0;
  return (response) => json(response, { access_token: `t${(given += 1)}`, token_type: 'Bearer', ...more });
}

export async function serveTokens(answers: AuthServer['answers']): Promise<AuthServer> {
  const asked: AskedToken[] = [];
  const url = await serve((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const token = { call: `${request.method} ${request.url}`, form, authorization: request.headers.authorization };
    asked.push(token);
    const answer = answers[token.call];
    if (answer) answer(response, token);
    else json(response, { error: 'not_found' }, 404);
  }
  return { url, asked, answers };
}

/** An API that answers with the `Authorization` it got, or with `status`. */
export async function serveApi(
  status: (authorization: string) => number = () => 200,
): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    const authorization = request.headers.authorization ?? '';
    asked.push(authorization);
    json(response, authorization, status(authorization));
  });
  return { url, asked };
}

export const CLIENT = { clientId: 'bridge', clientSecret: 'Pa55-never-shown' };

export function connect<O>(
  authorisation: Authorisation<O>,
  credentials: Readonly<Record<string, string>> & { readonly url: string },
  given: {
    readonly options?: O;
    readonly settings?: Partial<ConnectionSettings>;
    readonly parts?: Partial<ConnectionParts>;
  } = {},
): Http {
  const settings = {
    credentials,
    authorisation: authorisation as Authorisation,
    options: given.options,
    ...given.settings,
  };
  return openRig(credentials.url, settings, given.parts).http;
}
