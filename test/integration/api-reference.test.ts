import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerSchema, bodySchema } from '../../src/api/push-schema.ts';
import { problemSchema } from '../../src/api/problem.ts';
import { tokenAnswerSchema, tokenErrorSchema, tokenRequestSchema } from '../../src/api/token-schema.ts';
import { useDatabases } from '../kit/databases.ts';
import { curl, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases, { DATABRIDGE_API_PUBLIC_URL: 'https://bridge.example/push/' });
});

afterAll(async () => {
  await api.close();
});

interface Content {
  readonly content: Record<string, { schema: { $ref?: string; items?: { $ref: string } }; example?: unknown }>;
}

interface Reference {
  readonly openapi: string;
  readonly servers: unknown;
  readonly paths: Record<string, Record<string, { requestBody?: Content; responses: Record<string, Content> }>>;
  readonly components: { schemas: Record<string, { examples?: unknown[] }> };
}

const DATA = '/v0/organisations/{organisation_id}/data/{ml_project}';

const reference = async (): Promise<Reference> => (await curl(`${api.url}/openapi.json`)).json as Reference;

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 with every path and answer, and with the public address', async () => {
    const document = await reference();
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: 'https://bridge.example/push' }]);
    expect(Object.keys(document.paths).toSorted()).toEqual(
      [DATA, `${DATA}/sensors`, '/v0/oauth2/token', '/.well-known/jwks.json', '/healthz', '/readyz'].toSorted(),
    );
    const answers = Object.keys(document.paths[DATA]?.['post']?.responses ?? {});
    expect(answers).toEqual(['200', '400', '401', '403', '404', '408', '413', '415', '422', '429', '503']);
    expect(Object.keys(document.paths['/v0/oauth2/token']?.['post']?.requestBody?.content ?? {})).toEqual([
      'application/x-www-form-urlencoded',
    ]);
  });

  it('names each schema once, uses all of them, and has valid examples', async () => {
    const { paths, components } = await reference();
    const names = Object.keys(components.schemas);
    expect(names.toSorted()).toEqual(
      [
        'Jwks',
        'Problem',
        'PushAnswer',
        'PushedSensors',
        'Reading',
        'Refusal',
        'TokenAnswer',
        'TokenError',
        'TokenRequest',
      ].toSorted(),
    );
    const used = [...JSON.stringify([paths, components]).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    expect(new Set(used.map(([, name]) => name))).toEqual(new Set(names));
    const examplesOf = (name: string): unknown[] => components.schemas[name]?.examples ?? [];
    expect(bodySchema.parse(examplesOf('Reading'))).toHaveLength(1);
    expect(answerSchema.array().parse(examplesOf('PushAnswer'))).toHaveLength(1);
    expect(tokenAnswerSchema.array().parse(examplesOf('TokenAnswer'))).toHaveLength(1);
    expect(tokenErrorSchema.array().parse(examplesOf('TokenError'))).toHaveLength(1);
    expect(tokenRequestSchema.array().parse(examplesOf('TokenRequest'))).toHaveLength(1);
    for (const [status, { content }] of Object.entries(paths[DATA]?.['post']?.responses ?? {})) {
      const problem = content['application/problem+json'];
      if (problem) expect(problemSchema.parse(problem.example).status).toBe(Number(status));
      else expect(['200', '422']).toContain(status);
    }
  });

  it('has an example of a reading that the API accepts', async () => {
    const [example] = (await reference()).components.schemas['Reading']?.examples ?? [];
    expect(await api.push([example])).toMatchObject({ status: 200, json: { accepted: 1, unknownFields: 0 } });
  });
});

describe('/docs', () => {
  it('is readable without internet, because every file comes from the API', async () => {
    const page = await curl('-L', `${api.url}/docs/`);
    expect(page).toMatchObject({ status: 200 });
    const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      expect(asset).not.toMatch(/^(?:https?:)?\/\//);
      const { status, body } = await curl(new URL(asset, `${api.url}/docs/`).href);
      expect([asset, status]).toEqual([asset, 200]);
      expect(body.length).toBeGreaterThan(0);
    }
    expect(page.body).toContain('<title>databridge</title>');
    const script = await curl(`${api.url}/docs/static/swagger-initializer.js`);
    expect(script.body).toContain('validatorUrl: null');
    expect(script.body).toContain('"layout":"BaseLayout"');
    const styles = await curl(`${api.url}/docs/static/swagger-ui.css`);
    const pictures = [...styles.body.matchAll(/url\(["']?([^"')]+)/g)].map(([, address = '']) => address);
    expect(pictures.length).toBeGreaterThan(0);
    expect(pictures.filter((address) => !/^(?:data:|#)/.test(address))).toEqual([]);
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('upgrade-insecure-requests');
    expect(policy).not.toMatch(/https?:/);
    const shown = await curl(`${api.url}/docs/json`);
    expect(shown.json).toEqual(await reference());
  });
});
