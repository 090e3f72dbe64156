/** TypeScript for the console from the OpenAPI document of the operator API: its types, and where each operation is. */
import { pino } from 'pino';
import { operatorServer } from '../src/operator/server.ts';
import { readSettings } from '../src/settings.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses?: Readonly<Record<string, Content>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const nameIn = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`);

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** A schema as a type. */
function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'unknown';
  if (schema.$ref !== undefined) return schema.$ref.replace(/.*\//, '');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(typeOf));
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 1) return union(types.map((type) => typeOf({ ...schema, type })));
  const [type] = types;
  if (type === 'array') return `readonly (${typeOf(schema.items)})[]`;
  if (type === 'object' || schema.properties) return objectType(schema);
  return PRIMITIVES[type ?? ''] ?? 'unknown';
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([key, schema]) => `readonly ${nameIn(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema)};`,
  );
  if (fields.length > 0) return `{ ${fields.join(' ')} }`;
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  return `Readonly<Record<string, ${values}>>`;
}

function jsonOf({ content = {} }: Content): Schema | undefined {
  return Object.entries(content).find(([type]) => type === 'application/json')?.[1].schema;
}

/** The parameters of an operation that stand in one place, as a type; undefined where there are none. */
function parametersType({ parameters = [] }: Operation, place: string): string | undefined {
  const fields = parameters
    .filter((one) => one.in === place)
    .map(({ name, required, schema }) => `readonly ${nameIn(name)}${required ? '' : '?'}: ${typeOf(schema)};`);
  return fields.length === 0 ? undefined : `{ ${fields.join(' ')} }`;
}

function answerType({ responses = {} }: Operation): string {
  const [status, answer] = Object.entries(responses).find(([one]) => one.startsWith('2')) ?? [];
  if (answer === undefined || status === '204') return 'null';
  const schema = jsonOf(answer);
  return schema === undefined ? 'string' : typeOf(schema);
}

function operationType(operation: Operation): string {
  const body = operation.requestBody && (jsonOf(operation.requestBody) ?? { type: 'string' });
  const parts = [
    ['params', parametersType(operation, 'path')],
    ['query', parametersType(operation, 'query')],
    ['body', body && typeOf(body)],
    ['answer', answerType(operation)],
  ];
  return parts.flatMap(([name, type]) => (type === undefined ? [] : [`readonly ${name}: ${type};`])).join(' ');
}

/** The text of `console/client/operations.ts`. */
export async function consoleTypes(): Promise<string> {
  const settings = readSettings({
    DATABRIDGE_KEY: 'A'.repeat(43),
    DATABRIDGE_OPERATOR_URL: 'https://bridge.example',
    // Its routes are there with an issuer alone.
    DATABRIDGE_OIDC_ISSUER: 'https://issuer.example',
    DATABRIDGE_OIDC_CLIENT_ID: 'console',
  });
  // The document needs no database: no route is called.
  const parts = { settings, registry: { platforms: [] }, log: pino({ level: 'silent' }), certificate: undefined };
  const { app } = await operatorServer(parts as unknown as Parameters<typeof operatorServer>[0]);
  const { paths, components } = app.swagger() as unknown as Document;
  await app.close();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return `// Generated from the OpenAPI document of the operator API by \`npm run generate\`.
/* oxlint-disable max-lines */
${Object.entries(components.schemas)
  .map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`)
  .join('\n\n')}

/** What each operation takes and answers. */
export interface Operations {
${operations.map(({ operation }) => `  readonly ${operation.operationId}: { ${operationType(operation)} };`).join('\n')}
}

/** Where each operation is. */
export const PLACES = {
${operations.map(({ path, method, operation }) => `  ${operation.operationId}: '${method} ${path.replace('/api/v1', '')}',`).join('\n')}
} as const satisfies Readonly<Record<keyof Operations, string>>;
`;
}
