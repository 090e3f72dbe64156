import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import { useDatabases } from '../kit/databases.ts';
import { dataRequest, tokenRequest } from './api-fuzz-requests.ts';
import type { DataRequest } from './api-fuzz-requests.ts';
import { expectedOf } from './api-fuzz-oracle.ts';
import type { Stored } from './api-fuzz-oracle.ts';
import { startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';
import { insideOf } from './fuzz/judge.ts';
import { FUZZ_SEED, requestsOf } from './fuzz/size.ts';

const databases = useDatabases();
let api: ApiUnderTest;

/** Bodies sent at a time, each to a project of its own, so that none of them changes what another one finds. */
const AT_ONCE = 50;
const DATA_ROUNDS = requestsOf('data', AT_ONCE) / AT_ONCE;
const TOKEN_ROUNDS = requestsOf('token', AT_ONCE) / AT_ONCE;

beforeAll(async () => {
  api = await startApi(databases, {
    DATABRIDGE_API_READINGS: '20',
    DATABRIDGE_API_BACK_DAYS: '400000',
    DATABRIDGE_API_BODY_BYTES: '4096',
    DATABRIDGE_API_TOKENS_PER_MINUTE: '1000000',
    DATABRIDGE_API_FAILURES_PER_MINUTE: '1000000',
  });
  for (let index = 0; index < AT_ONCE; index += 1) {
    await createProject(api.database, { organisation: 'default', code: `p${index}` }, 'test');
  }
});

afterAll(async () => {
  await api.close();
});

/** No answer may hold a secret, a stack or SQL. */
function expectDiscreet(answer: string): void {
  const { secret, token } = api.client;
  for (const kept of [secret, token.split('.')[2] ?? token]) expect(answer).not.toContain(kept);
  expect(insideOf(answer)).toBeUndefined();
}

const headersOf = ({ type, packed, authorised }: DataRequest): Record<string, string> => ({
  ...(type === undefined ? {} : { 'content-type': type }),
  ...(packed ? { 'content-encoding': 'gzip' } : {}),
  authorization: authorised ? `Bearer ${api.client.token}` : 'Bearer none',
});

it(`answers ${AT_ONCE * DATA_ROUNDS} bodies at the data endpoint (seed ${FUZZ_SEED}) by the rules, and stores exactly the readings it accepts`, async () => {
  const stored: Stored[] = Array.from({ length: AT_ONCE }, () => new Map());
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(dataRequest, { minLength: AT_ONCE, maxLength: AT_ONCE, size: 'max' }),
      async (requests) => {
        const now = Date.now() * 1_000;
        const answers = await Promise.all(
          requests.map((request, index) =>
            api.server.inject({
              method: 'POST',
              url: `/v0/organisations/default/data/p${index}`,
              headers: headersOf(request),
              payload: request.packed ? gzipSync(request.body) : request.body,
            }),
          ),
        );
        for (const [index, answer] of answers.entries()) {
          const request = requests[index] as DataRequest;
          const expected = expectedOf(request, stored[index] as Stored, now);
          const status = answer.statusCode === expected.or ? expected.or : expected.status;
          expect([answer.statusCode, answer.body]).toEqual([status, expect.any(String)]);
          if (expected.counts !== undefined) expect(answer.json()).toMatchObject(expected.counts);
          expectDiscreet(answer.body);
          seen.set(answer.statusCode, (seen.get(answer.statusCode) ?? 0) + 1);
        }
      },
    ),
    { numRuns: DATA_ROUNDS, endOnFailure: true, seed: FUZZ_SEED },
  );
  // Every status came up, and many of the bodies were stored.
  expect(new Set(seen.keys())).toEqual(new Set([200, 400, 401, 413, 415, 422]));
  expect(seen.get(200)).toBeGreaterThan(0.4 * AT_ONCE * DATA_ROUNDS);
  const rows = await api.database.rows<{ head: string; value: number; tail: string }>(
    `select concat_ws(' ', code, value_name, instant_of(at)) as head, value,
       concat_ws(' ', coalesce(precision::text, '-'), coalesce(array_to_string(label_set.labels, ','), ''), sensor_id) as tail
     from reading join series on series.id = series join ml_project on ml_project.id = project_id
     left join label_set on label_set.id = reading.labels`,
  );
  const expected = stored.flatMap((readings, index) => [...readings.values()].map((line) => `p${index} ${line}`));
  expect(rows.map(({ head, value, tail }) => `${head} ${value} ${tail}`).toSorted()).toEqual(expected.toSorted());
  expect(expected.length).toBeGreaterThan(1_000);
  expect(api.log()).not.toContain('a request of the API failed');
}, 14_400_000);

it(`answers ${AT_ONCE * TOKEN_ROUNDS} bodies at the token endpoint (seed ${FUZZ_SEED}) with a token or an error of RFC 6749`, async () => {
  const { applicationId, secret } = api.client;
  const refreshTokens: string[] = [];
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(tokenRequest, { minLength: AT_ONCE, maxLength: AT_ONCE, size: 'max' }),
      async (requests) => {
        const fill = (text: string): string =>
          text
            .replaceAll('{id}', applicationId)
            .replaceAll('{secret}', secret)
            .replaceAll('{refresh}', () => refreshTokens.pop() ?? 'none');
        const answers = await Promise.all(
          requests.map(({ authorization, type, body }) => {
            const credentials = authorization === undefined ? {} : { authorization: basicOf(fill(authorization)) };
            return api.server.inject({
              method: 'POST',
              url: '/v0/oauth2/token',
              headers: { ...(type === undefined ? {} : { 'content-type': type }), ...credentials },
              payload: typeof body === 'string' ? fill(body) : Buffer.from(body),
            });
          }),
        );
        for (const [index, answer] of answers.entries()) {
          const request = requests[index] as (typeof requests)[0];
          const document = answer.json<{ error?: string; refresh_token?: string }>();
          expect(answer.headers['cache-control']).toBe('no-store');
          const kind = `${answer.statusCode} ${document.error ?? ''}`.trim();
          seen.set(kind, (seen.get(kind) ?? 0) + 1);
          expect(KINDS).toContain(kind);
          if (document.refresh_token === undefined) expectDiscreet(answer.body);
          else {
            // Only a request with the secret or with a refresh token gets a token.
            expect(`${request.authorization} ${String(request.body)}`).toMatch(
              /\{id\}:\{secret\} .*client_credentials|\{refresh\}/s,
            );
            refreshTokens.push(document.refresh_token);
          }
        }
      },
    ),
    { numRuns: TOKEN_ROUNDS, endOnFailure: true, seed: FUZZ_SEED },
  );
  expect([...seen.keys()].toSorted()).toEqual(KINDS.toSorted());
  expect(api.log()).not.toContain('a request of the API failed');
}, 14_400_000);

const KINDS = [
  '200',
  '400 invalid_grant',
  '400 invalid_request',
  '400 invalid_scope',
  '400 unsupported_grant_type',
  '401 invalid_client',
  '413 invalid_request',
];

/** A header with these credentials; text after `raw ` is a whole header. */
const basicOf = (text: string): string =>
  text.startsWith('raw ') ? text.slice(4) : `Basic ${Buffer.from(text).toString('base64')}`;
