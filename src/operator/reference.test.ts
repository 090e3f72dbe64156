import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { readSettings } from '../settings.ts';
import { operatorServer } from './server.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
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

/**
 * The only parts of answers that may be anything: a configuration, whose fields the adapter of its platform decides, in a source and among
 * its former ones, and the detail of a change, which each action writes in its own way and versions of years ago wrote otherwise.
 */
const LOOSE = ['AuditDetail', 'Configuration'];

/** The places whose content a generated client would know nothing of. */
function looseIn({ components, paths }: Document): string[] {
  const found: string[] = [];
  const walk = (schema: Schema, place: string): void => {
    const { $ref, type, properties = {}, items, additionalProperties: others } = schema;
    const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((choice) => choice ?? []);
    if ($ref !== undefined) return;
    const isAny = type === undefined && choices.length === 0 && schema.enum === undefined && !('const' in schema);
    const isOpen = others === true || (typeof others === 'object' && Object.keys(others).length === 0);
    const isBare = type === 'object' && Object.keys(properties).length === 0 && typeof others !== 'object';
    if (isAny || isOpen || isBare) found.push(place);
    for (const choice of choices) walk(choice, place);
    for (const [name, field] of Object.entries(properties)) walk(field, `${place}.${name}`);
    if (items !== undefined) walk(items, `${place}[]`);
    if (typeof others === 'object' && !isOpen) walk(others, `${place}.*`);
  };
  for (const [name, schema] of Object.entries(components.schemas)) walk(schema, name);
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      for (const [status, { content }] of [['body', requestBody ?? {}] as const, ...Object.entries(responses)]) {
        for (const { schema } of Object.values(content ?? {}))
          if (schema !== undefined) walk(schema, `${method} ${path} ${status}`);
      }
    }
  }
  return found.toSorted();
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

  it('says of each field of an answer or a body what it is', () => {
    expect(looseIn(documentOf())).toEqual(LOOSE);
    // A document that allows any fields, one without a field, and a field of any type.
    const wrong = documentOf();
    const schemas = wrong.components.schemas as Record<string, Schema>;
    schemas['Any'] = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: {} };
    schemas['Nothing'] = { type: 'array', items: { type: 'object' } };
    schemas['Unknown'] = { type: 'object', properties: { a: {} }, additionalProperties: false };
    expect(looseIn(wrong)).toEqual(expect.arrayContaining(['Any', 'Nothing[]', 'Unknown.a']));
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
