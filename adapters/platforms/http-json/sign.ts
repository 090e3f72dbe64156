import { BridgeError, configInvalid, contractBroken, credentialsRejected } from '../../../src/core/errors.ts';
import { apiKey, bearer } from '../../../src/platform/authorisation/api-key.ts';
import { basic } from '../../../src/platform/authorisation/basic.ts';
import { loginToken } from '../../../src/platform/authorisation/login-token.ts';
import { oauth2Client } from '../../../src/platform/authorisation/oauth2-client.ts';
import type { Authorisation, Credentials } from '../../../src/platform/contract.ts';
import { valuesIn } from './ask.ts';
import type { HttpJsonSettings } from './options.ts';
import { filledBody } from './template.ts';

type Declared = HttpJsonSettings['authorisation'];

/** How the declared authorisation signs a request. */
export function authorisationOf({ by, ...declared }: Declared): Authorisation {
  const { header = 'Authorization', prefix = '' } = declared;
  switch (by) {
    case 'none': {
      return { sign: () => ({}) };
    }
    case 'basic': {
      return {
        sign: (credentials, token, options) =>
          basic().sign(needed(credentials, ['username', 'password']), token, options),
      };
    }
    case 'header': {
      return apiKey({ header, prefix, field: 'key' });
    }
    case 'bearer': {
      return bearer({ field: 'token' });
    }
    case 'oauth2': {
      const { client = 'post', endpoint, scope, audience } = declared;
      return oauth2Client({
        clientAuthentication: client,
        ...(endpoint === undefined ? {} : { tokenUrl: endpoint }),
        ...(scope === undefined ? {} : { scope }),
        ...(audience === undefined ? {} : { audience }),
      });
    }
    case 'login': {
      return loginOf(declared);
    }
  }
}

/** A login call. Its errors quote nothing of the answer, which may hold a secret. */
function loginOf({
  header = 'Authorization',
  prefix = '',
  path = '',
  body = {},
  answer = '$',
  seconds,
  refusals = [],
}: Omit<Declared, 'by'>): Authorisation {
  return loginToken({
    async login(http, credentials) {
      const names = [...JSON.stringify(body).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const sent = filledBody(body, needed(credentials, names), undefined);
      const { status, data } = await http.post<unknown>(path, sent, { expect: [401, ...refusals] });
      if (status >= 400)
        throw credentialsRejected(
          `the login was refused with ${status}`,
          'check the credentials by hand, then give them to the source again',
        );
      const codes = { 'authorisation.answer': answer, 'authorisation.seconds': seconds };
      const found = await valuesIn<{ [ExpressionOption in keyof typeof codes]?: unknown }>(data, codes).catch(
        unlessTooCostly,
      );
      const [token, lifetime] = [found['authorisation.answer'], found['authorisation.seconds']];
      if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
        throw contractBroken('authorisation.answer: finds no token in the answer to the login');
      if (seconds !== undefined && !(typeof lifetime === 'number' && lifetime > 0))
        throw contractBroken('authorisation.seconds: finds no number of seconds');
      return { token, expiresAt: undefined, ...(typeof lifetime === 'number' ? { expiresInSeconds: lifetime } : {}) };
    },
    header: (token) => ({ [header]: `${prefix}${token}` }),
  });
}

/** An expression that fails finds nothing: its words may quote the answer. */
function unlessTooCostly(error: unknown): Record<string, never> {
  if (error instanceof BridgeError && error.code === 'contract-broken') return {};
  throw error;
}

function needed(credentials: Credentials, names: readonly string[]): Credentials {
  for (const name of names) {
    const path = `connection.${name}`;
    if (!credentials[name]) throw configInvalid(`${path} is missing`, `give ${path}`, path);
  }
  return credentials;
}
