import { z } from 'zod';
import { malformed, problemResponse } from './push-documentation.ts';

/** The form-encoded request, for the reference only: src/access judges it. */
export const tokenRequestSchema = z
  .object({
    grant_type: z.enum(['client_credentials', 'refresh_token']),
    scope: z.literal('data').optional().describe('There is no other scope.'),
    refresh_token: z.string().optional().describe('For a renewal: the refresh token of the last answer.'),
  })
  .meta({ id: 'TokenRequest', examples: [{ grant_type: 'client_credentials' }] });

const EXAMPLE = {
  access_token: 'eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiJhcHBfMSJ9.c2lnbmF0dXJl',
  token_type: 'bearer',
  expires_in: 3600,
  expiration_date: '2026-11-20T09:15:30Z',
  refresh_token: 'opaque',
  refresh_token_expires_in: 2_592_000,
  refresh_token_expiration_date: '2026-12-20T08:15:30Z',
} as const;

/** The seven fields of a token, created or renewed. */
export const tokenAnswerSchema = z
  .object({
    access_token: z.string().describe('A JWT; its claim `exp` is when it expires.'),
    token_type: z.literal('bearer'),
    expires_in: z.int().describe('Seconds until the access token expires: fewer while the service is busy.'),
    expiration_date: z.string().describe('When the access token expires, ISO 8601 UTC.'),
    refresh_token: z.string().describe('Valid for one renewal, whose answer holds the next refresh token.'),
    refresh_token_expires_in: z.int().describe('Seconds until the refresh token expires, unless it is used before.'),
    refresh_token_expiration_date: z.string().describe('When the refresh token expires, ISO 8601 UTC.'),
  })
  .meta({ id: 'TokenAnswer', examples: [EXAMPLE] });

/** An error of RFC 6749 section 5.2; `temporarily_unavailable` and `server_error` come from section 4.1.2.1. */
export const tokenErrorSchema = z
  .object({
    error: z.enum([
      'invalid_request',
      'invalid_client',
      'invalid_grant',
      'unsupported_grant_type',
      'invalid_scope',
      'temporarily_unavailable',
      'server_error',
    ]),
    error_description: z.string(),
  })
  .meta({
    id: 'TokenError',
    examples: [{ error: 'invalid_grant', error_description: 'the refresh token is not valid; create a new token' }],
  });

export type TokenError = z.infer<typeof tokenErrorSchema>;

const described = <S extends z.ZodType>(description: string, schema: S, example: z.infer<S>) => ({
  description,
  content: { 'application/json': { schema, example } },
});

const refused = (description: string, error: TokenError['error'], error_description: string) =>
  described(description, tokenErrorSchema, { error, error_description });

/** The token endpoint as the reference shows it. */
export const tokenDocumentation = {
  operationId: 'createToken',
  summary: 'Create or renew a token',
  description: `**Create**: \`grant_type=client_credentials\`, with APPLICATION_ID and APPLICATION_SECRET by HTTP Basic.

    curl -u "$APPLICATION_ID:$APPLICATION_SECRET" -d grant_type=client_credentials "$BASE_URL/v0/oauth2/token"

**Renew**: \`grant_type=refresh_token\`, \`scope=data\` and the refresh token, without credentials.

    curl -d grant_type=refresh_token -d scope=data --data-urlencode "refresh_token=$REFRESH_TOKEN" "$BASE_URL/v0/oauth2/token"

Each renewal replaces the refresh token. The old one may be used again for a short time, in case the answer got lost; used after that, it revokes all tokens that followed from it. Errors are those of RFC 6749, section 5.2.`,
  tags: ['Tokens'],
  security: [{ application: [] }, {}],
  consumes: ['application/x-www-form-urlencoded'],
  body: tokenRequestSchema,
  response: {
    200: described('The token.', tokenAnswerSchema, EXAMPLE),
    400: refused(
      'The request, the grant or the scope is invalid.',
      'invalid_grant',
      'the refresh token is not valid; create a new token',
    ),
    401: refused(
      'The id or the secret of the application is missing or wrong.',
      'invalid_client',
      'application id or secret is missing or wrong; send both by HTTP Basic authentication',
    ),
    413: refused(
      'The body is too large.',
      'invalid_request',
      'A body may hold at most 16384 bytes, counted after unpacking. A request for a token needs fewer than a thousand.',
    ),
    429: refused(
      'Too many requests or failures. `Retry-After` says when to try again.',
      'temporarily_unavailable',
      'too many requests; try again later',
    ),
    503: refused(
      'The database is away. Try again after `Retry-After` seconds.',
      'temporarily_unavailable',
      'The database does not answer in time. Send the same request again: no reading is stored twice.',
    ),
  },
};

const JWKS_EXAMPLE = {
  keys: [
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: '1',
      alg: 'EdDSA',
      use: 'sig',
    },
  ],
};

const jwksSchema = z
  .object({
    keys: z
      .array(z.looseObject({ kty: z.string(), kid: z.string() }))
      .describe('Keys in use, and those of tokens that have not expired.'),
  })
  .meta({ id: 'Jwks', examples: [JWKS_EXAMPLE] });

/** The key set as the reference shows it. */
export const jwksDocumentation = {
  operationId: 'listPublicKeys',
  summary: 'Public keys of access tokens',
  description: 'A JWK set (RFC 7517). The header of a token names its key as `kid`.',
  tags: ['Tokens'],
  security: [],
  response: {
    200: described('The keys.', jwksSchema, JWKS_EXAMPLE),
    400: malformed,
    503: problemResponse(
      'The database is away. Try again after `Retry-After` seconds.',
      'database-away',
      'The database does not answer in time.',
    ),
  },
};
