import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codingOf } from './compression.ts';
import { consoleFiles } from './console-files.ts';
import type { ConsoleFile } from './console-files.ts';
import type { OperatorParts } from './parts.ts';
import { noSuch } from './problem.ts';

/** Of the page: its own files alone, no frame around it, and no text that becomes markup or script. */
const PAGE_HEADERS = {
  'content-security-policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self'`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** The page of an installation without the console. It has no script and no style of its own. */
const MISSING = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>databridge</title></head><body>
<h1>The console is not here</h1>
<p>This bridge runs, and its operator API answers below <code>/api/v1</code>. Its console was not built with it.</p>
<p>In a checkout: <code>npm ci</code>, then load this page again. Anywhere else: install its package or image, which bring the console.</p>
</body></html>
`;

/** The console of the operators: a page and its files, which are a client of the API like any other. */
export function addConsoleRoutes(app: FastifyInstance, { log }: Pick<OperatorParts, 'log'>): void {
  const files = consoleFiles();
  const found = async (path: string): Promise<ConsoleFile | undefined> => {
    try {
      return await files(path);
    } catch (err) {
      log.warn({ err }, 'the console cannot be shown');
      return undefined;
    }
  };
  const config = { access: 'public' } as const;
  app.get('/', { config, schema: { hide: true } }, async (request, reply) => {
    reply.headers(PAGE_HEADERS);
    const page = await found('index.html');
    if (page !== undefined) return await send(request, reply.header('cache-control', 'no-cache'), page);
    return await reply.code(503).type('text/html; charset=utf-8').send(MISSING);
  });
  app.get<{ Params: { file: string } }>('/assets/:file', { config, schema: { hide: true } }, async (request, reply) => {
    const file = await found(`assets/${request.params.file}`);
    if (file === undefined) throw noSuch('such file of the console');
    // Their names have a hash of their content.
    return await send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), file);
  });
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, br }: ConsoleFile,
): Promise<FastifyReply> {
  reply.type(type).header('vary', 'accept-encoding');
  if (br === undefined || codingOf(request.headers['accept-encoding']) !== 'br') return await reply.send(plain);
  return await reply.header('content-encoding', 'br').send(br);
}
