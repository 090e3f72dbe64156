import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { withUsedSchemas } from '../api/reference.ts';
import { VERSION } from '../version.ts';
import type { OperatorSettings } from '../settings-operator.ts';
import { sessionCookieOf } from './browser.ts';
import { operatorProblemSchema } from './problem.ts';

const INTRODUCTION = `The operators of a bridge see and change it with this API.

A program sends a personal token: \`Authorization: Bearer dbo_…\`; \`databridge operator token create\` makes one. A browser signs in and gets a cookie; it sends \`X-CSRF-Token\` with each request that changes something. Errors are \`application/problem+json\` (RFC 9457) and name the id of the request, which the answer repeats as \`X-Request-Id\`.`;

/** Adds `/api/v1/openapi.json`, which describes the routes added after this call. */
export async function addOperatorReference(app: FastifyInstance, settings: OperatorSettings): Promise<void> {
  const { name: cookieName } = sessionCookieOf(settings);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'databridge: the operator API',
        version: VERSION,
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: settings.publicOrigin ?? '/' }],
      components: {
        securitySchemes: {
          personalToken: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: cookieName },
        },
      },
    },
    transform: (given) => {
      const transformed = jsonSchemaTransform(given);
      const isPublic = given.route.config?.access === 'public';
      return {
        ...transformed,
        schema: { ...transformed.schema, security: isPublic ? [] : [{ personalToken: [] }, { session: [] }] },
      };
    },
    transformObject: (document) => withUsedSchemas(jsonSchemaTransformObject(document)),
  });
  app.addHook('onRoute', ({ schema }) => {
    if (schema === undefined || schema.hide === true) return;
    const answers = (schema.response ?? {}) as Record<string, unknown>;
    schema.response = { ...answers, default: answers['default'] ?? PROBLEM };
  });
  app.get('/api/v1/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, () => app.swagger());
}

const PROBLEM = {
  description: 'The request failed.',
  content: { 'application/problem+json': { schema: operatorProblemSchema } },
};
