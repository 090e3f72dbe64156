import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { readSettings } from '../settings.ts';
import { operatorServer } from './server.ts';

interface Schema {
  readonly $ref?: string;
  readonly examples?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Content {
  readonly content?: Readonly<
    Record<string, { readonly schema?: Schema; readonly example?: unknown; readonly examples?: unknown }>
  >;
}

interface Operation {
  operationId?: string;
  description?: string;
  readonly requestBody?: Content;
  responses: Record<string, Content>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let app: FastifyInstance;

/** The operator API without a database, for tests of its OpenAPI document. */
beforeAll(async () => {
  const settings = readSettings({ DATABRIDGE_KEY: 'A'.repeat(43), DATABRIDGE_OPERATOR_URL: 'https://bridge.example' });
  const parts = { settings, registry: { platforms: [] }, log: pino({ level: 'silent' }), certificate: undefined };
  ({ app } = await operatorServer(parts as unknown as Parameters<typeof operatorServer>[0]));
});

afterAll(async () => {
  await app.close();
});

const documentOf = (): Document => structuredClone(app.swagger()) as unknown as Document;

/** The findings of Redocly's strict rules. */
async function findingsIn(document: Document): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
}

describe('the OpenAPI document of operators', () => {
  it('satisfies the strict rules of a linter of others', async () => {
    expect(await findingsIn(documentOf())).toEqual([]);
  });

  test('that is wrong does not', async () => {
    const wrong = documentOf();
    const operation = wrong.paths['/api/v1/projects/{organisation}/{code}/lock']?.['post'];
    delete operation?.operationId;
    if (operation) operation.responses = { 200: operation.responses['200'] ?? {} };
    const rules = (await findingsIn(wrong)).map((one) => one.slice(0, one.indexOf(':')));
    expect(rules.toSorted()).toEqual(['operation-4xx-response', 'operation-operationId']);
  });

  it('has no schema under a name of the other API, because one process may describe both', () => {
    const names = (document: Document): string[] =>
      Object.keys((document as { components?: { schemas?: object } }).components?.schemas ?? {});
    expect(names(documentOf())).toContain('OperatorProblem');
    expect(names(documentOf())).not.toContain('Problem');
  });

  it('says which role each operation needs', () => {
    const operations = Object.values(documentOf().paths).flatMap((methods) => Object.values(methods));
    for (const { description } of operations) {
      expect(description).toMatch(/Needs (?:no sign-in|the role (?:viewer|operator|admin))\.$/);
    }
    const [role] = Object.values(documentOf().paths['/api/v1/signing-keys/rotate'] ?? {});
    expect(role?.description).toContain('Needs the role admin.');
    expect(documentOf().paths['/api/v1/session']?.['post']?.description).toContain('Needs no sign-in.');
  });

  it('has an id of its own for each operation, and says which requests are refused', () => {
    const operations = Object.values(documentOf().paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const { responses } = documentOf().paths['/api/v1/projects/{organisation}/{code}/lock']?.['post'] ?? {};
    expect(Object.keys(responses ?? {})).toEqual(['200', '400', '401', '403', '404', '409', 'default']);
  });

  it('has an example of each JSON document that is sent or answered', () => {
    const { paths, components } = documentOf();
    const hasExample = (schema: Schema): boolean => {
      const found = schema.$ref === undefined ? schema : components.schemas[schema.$ref.replace(/.*\//, '')];
      if (found?.examples !== undefined) return true;
      return Object.values(found?.properties ?? {}).some(({ items }) => items !== undefined && hasExample(items));
    };
    const lacking: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        for (const [status, content] of [['body', requestBody] as const, ...Object.entries(responses)]) {
          const { schema, example, examples } = content?.content?.['application/json'] ?? {};
          const shown = example ?? examples;
          if (schema !== undefined && shown === undefined && !hasExample(schema))
            lacking.push(`${method} ${path} ${status}`);
        }
      }
    }
    expect(lacking).toEqual([]);
  });
});
