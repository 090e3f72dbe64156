import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { withUsedSchemas } from '../api/reference.ts';
import { VERSION } from '../version.ts';
import type { OperatorSettings } from '../settings-operator.ts';
import { sessionCookieOf } from './browser.ts';
import { operatorProblemSchema } from './problem.ts';

const INTRODUCTION = `The operators of a bridge see and change it with this API.

A program sends a personal token: \`Authorization: Bearer dbo_…\`; \`databridge operator token create\` makes one. A browser signs in and gets a cookie; it sends \`X-CSRF-Token\` with each request that changes something, and \`X-Databridge-Unattended: true\` with those that a page makes by itself, which do not prolong the session. Errors are \`application/problem+json\` (RFC 9457) and name the id of the request, which the answer repeats as \`X-Request-Id\`.`;

/** What is said of a route with `needsProof`. */
const PROOF =
  'A session answers `confirmation-needed` where its operator signed in more than ten minutes ago; `confirmSession` lifts that.';

/** The header of a route with `idempotent`. Said here alone, because a schema of headers would keep the others from the handlers. */
const IDEMPOTENCY_KEY = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      maxLength: 202,
      description:
        'Sent again with the same request within a day, it answers as before and does nothing: 409 while the first is under way and where its answer held a secret, 422 with another request.',
    },
  },
};

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
      const { access, role, needsProof, idempotent } = given.route.config ?? {};
      const needs = access === 'public' ? 'Needs no sign-in.' : `Needs the role ${role}.`;
      const description = [transformed.schema.description, needsProof && PROOF, needs].filter(Boolean).join(' ');
      const security = access === 'public' ? [] : [{ personalToken: [] }, { session: [] }];
      const more = {
        ...(needsProof && { 'x-databridge-needs-proof': true }),
        ...(idempotent && { headers: IDEMPOTENCY_KEY }),
      };
      return { ...transformed, schema: { ...transformed.schema, description, security, ...more } };
    },
    transformObject: (document) => withUsedSchemas(jsonSchemaTransformObject(document)),
  });
  app.addHook('onRoute', ({ schema, config, method }) => {
    if (schema === undefined || schema.hide === true) return;
    const answers = (schema.response ?? {}) as Record<string, unknown>;
    const { body, querystring, params } = schema;
    const isPublic = config?.access === 'public';
    const refusals = {
      400: (body ?? querystring ?? params) !== undefined || isPublic,
      401: !isPublic,
      403: true,
      404: params !== undefined,
      409: method !== 'GET' && !isPublic,
      422: config?.idempotent !== undefined,
    };
    const refused = Object.entries(refusals).flatMap(([status, may]) => (may ? [[status, REFUSED[status]]] : []));
    schema.response = { ...Object.fromEntries(refused), default: PROBLEM, ...answers };
  });
  app.get('/api/v1/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, () => app.swagger());
}

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: operatorProblemSchema } },
});

const PROBLEM = problem('The request failed.');

/** The answers to requests that are refused, by their status. */
const REFUSED: Readonly<Record<string, unknown>> = {
  400: problem('The request asks for something that cannot be; `errors` has the places.'),
  401: problem('No credential was sent, or one that is not accepted.'),
  403: problem('The role of the operator does not allow this, or it sees some organisations only.'),
  404: problem('It does not exist, or belongs to an organisation that the operator does not see.'),
  409: problem('The present state does not allow this.'),
  422: problem('The Idempotency-Key was sent with another request.'),
};
