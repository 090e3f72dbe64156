import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { addProblemPages } from './problem-pages.ts';
import { withAnswers } from './reference-answers.ts';
import { VERSION } from '../version.ts';

const introduction = (typeBase: string): string => `This API takes readings of industrial sensors.

1. The operator gives you an organisation, an ML project code and an application (APPLICATION_ID, APPLICATION_SECRET).
2. Create an access token with them.
3. Push readings with it. When it expires (\`401\`), renew it and send again.

The path holds the version. Answers of \`v0\` may get new fields, so ignore fields you do not know. Each answer has a request id (\`X-Request-Id\`), which the operator finds in the log; send one of your own to choose it. Errors of the data endpoints are \`application/problem+json\` (RFC 9457); the \`type\` of each is the address of [its page](${typeBase.slice(0, -1)}). Those of the token endpoint follow RFC 6749.`;

const TAGS = [
  { name: 'Readings', description: 'Pushing readings, and reading back which were stored.' },
  { name: 'Tokens', description: 'Access tokens, and the keys by which they are verified.' },
  { name: 'Health', description: 'For load balancers and supervisors.' },
];

/** Adds `/openapi.json` and `/docs`, which describe the routes added after this call. The page needs no internet. */
export async function addReference(
  app: FastifyInstance,
  { publicUrl, typeBase }: { publicUrl: string | undefined; typeBase: string },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'databridge',
        version: VERSION,
        description: introduction(typeBase),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl ?? '/' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          application: { type: 'http', scheme: 'basic', description: 'APPLICATION_ID and APPLICATION_SECRET' },
        },
      },
    },
    transform: (document) => withAnswers(document.schema, jsonSchemaTransform(document), typeBase),
    transformObject: (document) => withUsedSchemas(jsonSchemaTransformObject(document)),
  });
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  // A scope of its own, because the page runs scripts and shows pictures, and other answers do not.
  await app.register(async (docs) => {
    // It would stand in place of the policy of the page.
    docs.addHook('onRequest', (_request, reply, done) => {
      reply.removeHeader('content-security-policy');
      done();
    });
    await docs.register(helmet, {
      contentSecurityPolicy: {
        directives: {
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
          // Clients on the plant's network may read this page over plain HTTP.
          upgradeInsecureRequests: null,
          imgSrc: ["'self'", 'data:'],
          styleSrc: ["'self'", "'unsafe-inline'"],
          fontSrc: ["'self'", 'data:'],
        },
      },
      strictTransportSecurity: false,
    });
    addProblemPages(docs);
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      // Without the bar on top, which would show another product's name and offer to load other documents.
      uiConfig: { layout: 'BaseLayout', defaultModelsExpandDepth: 0 },
      theme: { title: 'databridge' },
    });
  });
}

interface Components {
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** Drops unused schemas: the transformation makes each one twice, for requests (`…Input`) and for answers. */
export function withUsedSchemas<T extends object>(document: T): T {
  const { schemas = {}, ...components } = (document as Components).components ?? {};
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(schemas[name]);
    }
  };
  follow({ ...document, components });
  const nameOf = (name: string): string => {
    const plain = name.replace(/Input$/, '');
    return used.has(plain) ? name : plain;
  };
  const kept = Object.fromEntries([...used].map((name) => [nameOf(name), schemas[name]]));
  const whole = JSON.stringify({ ...document, components: { ...components, schemas: kept } });
  return JSON.parse(whole.replaceAll(REFERENCE, (_, name: string) => `"#/components/schemas/${nameOf(name)}"`)) as T;
}
