import { z } from 'zod';
import { text } from '../../../src/core/source/fields.ts';
import { expression } from './expression.ts';

/** The fields of `options.authorisation`; the secrets are fields of `connection`. */
export const authorisationFields = {
  by: z
    .enum(['none', 'basic', 'header', 'bearer', 'oauth2', 'login'])
    .describe(
      '`none`; `basic` (connection.username, password); `header` (connection.key); `bearer` (connection.token); `oauth2`: client credentials (connection.clientId, clientSecret); `login`: a call that gives a token.',
    ),
  header: text(
    'Name of the header that carries the key (`header`) or the token (`login`; default Authorization).',
  ).exactOptional(),
  prefix: z.string().max(50).exactOptional().describe('Text before the key or token in the header, such as "Bearer ".'),
  endpoint: text(
    '`oauth2`: address at which tokens are given. Without it, it is discovered from connection.authUrl or connection.url.',
    1000,
  ).exactOptional(),
  client: z
    .enum(['post', 'basic'])
    .exactOptional()
    .describe('`oauth2`: whether the client shows its secret in the form or as HTTP Basic.'),
  scope: text('`oauth2`: the scope to ask for.', 1000).exactOptional(),
  audience: text('`oauth2`: the audience to ask for.', 1000).exactOptional(),
  path: text('`login`: path of the call below connection.url.', 1000).exactOptional(),
  body: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('`login`: the JSON of the call; {username} and the like are fields of the connection.'),
  answer: expression('`login`: the token in the answer to the call.').exactOptional(),
  seconds: expression('`login`: for how many seconds it counts, where the answer says so.').exactOptional(),
  refusals: z
    .array(z.int().min(400).max(499))
    .exactOptional()
    .describe('`login`: statuses that mean that the credentials are wrong. 401 always does.'),
};
