import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { readSettings } from '../settings.ts';
import { HttpProblem } from './problem.ts';
import { PROBLEMS, PROBLEM_NAMES, typeBaseOf } from './problems.ts';
import { apiServer } from './server.ts';
import type { ApiParts } from './server.ts';

/** The API without a database, for tests of its OpenAPI document. */
async function apiOf(environment: Record<string, string>): Promise<FastifyInstance> {
  const settings = readSettings({ DATABRIDGE_KEY: 'A'.repeat(43), ...environment }).api;
  const database = { memory: { onForget: () => undefined } };
  const access = { verifyAccessToken: () => Promise.resolve({}), jwks: () => Promise.resolve({ keys: [] }) };
  return await apiServer({ settings, database, access, log: pino({ level: 'silent' }) } as unknown as ApiParts);
}

interface Operation {
  operationId?: string;
  security?: unknown;
  responses: Record<string, { headers?: object; content?: Record<string, { example?: unknown }> }>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
}

let api: FastifyInstance;
let closed: FastifyInstance;

beforeAll(async () => {
  api = await apiOf({ DATABRIDGE_API_PUBLIC_URL: 'https://bridge.example/push/' });
  closed = await apiOf({ DATABRIDGE_API_DOCS: 'false' });
});

afterAll(async () => {
  await api.close();
  await closed.close();
});

/** The operations of a document, with their paths and methods. */
const operationsOf = ({ paths }: Document): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

const documentOf = (): Document => structuredClone(api.swagger()) as unknown as Document;

/** The findings of Redocly's strict rules. */
async function findingsIn(document: Document): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return found.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('the OpenAPI document', () => {
  it('satisfies the strict rules of a linter of others', async () => {
    expect(await findingsIn(documentOf())).toEqual([]);
  });

  test('that is wrong does not', async () => {
    const wrong = documentOf();
    const [[, operation] = ['', { responses: {} }]] = operationsOf(wrong);
    delete operation.operationId;
    const problem = operation.responses['400']?.content?.['application/problem+json'];
    if (problem) problem.example = { type: 5 };
    const findings = await findingsIn(wrong);
    expect(findings.some((one) => one.startsWith('operation-operationId:'))).toBe(true);
    expect(findings.some((one) => one.startsWith('no-invalid-media-type-examples:'))).toBe(true);
  });

  it('has an id for each operation, and an example and the headers of each answer', () => {
    const operations = operationsOf(documentOf());
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
    for (const [name, { responses }] of operations) {
      for (const [status, { headers = {}, content = {} }] of Object.entries(responses)) {
        expect(Object.keys(content), `${name} ${status}`).toHaveLength(1);
        for (const { example } of Object.values(content)) expect(example, `${name} ${status}`).toBeDefined();
        expect(headers).toHaveProperty('X-Request-Id');
        if (status === '401') expect(headers).toHaveProperty('WWW-Authenticate');
        if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After');
      }
    }
  });
});

describe('a problem', () => {
  const typeOf = (name: (typeof PROBLEM_NAMES)[number], base: string): string =>
    new HttpProblem(name, 'x').documentFor('1', base).type;

  test.each(PROBLEM_NAMES)('has a page at its type, with its title, meaning and remedy: %s', async (name) => {
    const type = typeOf(name, typeBaseOf({ docs: true, publicUrl: 'https://bridge.example/push' }));
    expect(type).toBe(`https://bridge.example/push/docs/problems/${name}`);
    const answer = await api.inject(new URL(type).pathname.replace('/push', ''));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
    const [status, title, meaning, remedy] = PROBLEMS[name];
    for (const text of [String(status), title, meaning, remedy]) expect(answer.body).toContain(text);
    // They stand in the page as they are.
    expect(`${title}${meaning}${remedy}`).not.toMatch(/[<>&"]/);
    expect((await api.inject('/docs/problems')).body).toContain(`href="problems/${name}"`);
  });

  it('that the API sends has that type, a path without a public address, and a URN without pages', async () => {
    const sent = async (app: FastifyInstance): Promise<unknown> => (await app.inject('/nowhere')).json();
    expect(await sent(api)).toMatchObject({
      type: 'https://bridge.example/push/docs/problems/not-found',
      code: 'not-found',
    });
    expect(await sent(closed)).toMatchObject({ type: 'urn:databridge:problem:not-found', code: 'not-found' });
    expect((await closed.inject('/docs/problems/not-found')).statusCode).toBe(404);
    expect((await api.inject('/docs/problems/nothing')).statusCode).toBe(404);
    expect(typeOf('forbidden', typeBaseOf({ docs: true, publicUrl: undefined }))).toBe('/docs/problems/forbidden');
  });
});
