import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The answer holds a secret, and so is not compressed: its length would tell a listener who can make a browser add texts to it how
     * much of the secret they share.
     */
    readonly secret?: boolean;
  }
}

/** Shorter answers fit into one packet as they are. */
const LEAST_BYTES = 1_400;

/** Both work outside the event loop. These levels take a few milliseconds for a megabyte. */
const CODINGS = {
  br: async (text: string) =>
    await promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: async (text: string) => await promisify(gzip)(text, { level: 5 }),
};

/** The coding that a client names and that is best; undefined: none. `*` names none: a client that says it may know neither. */
export function codingOf(accepted: string | undefined): keyof typeof CODINGS | undefined {
  const taken = new Map(
    (accepted ?? '').split(',').map((one) => {
      const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
      return [name, parameters.every((parameter) => !/^q=0(?:\.0*)?$/.test(parameter))];
    }),
  );
  return (['br', 'gzip'] as const).find((coding) => taken.get(coding));
}

/**
 * Compresses documents that are read, where a client takes that. Answers to changes are short or hold secrets, so they stay as they are;
 * so do those of routes with `secret`. Streams are sent as they come.
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isDocument =
      typeof payload === 'string' && /^application\/json\b/.test(String(reply.getHeader('content-type')));
    if (request.method !== 'GET' || request.routeOptions.config.secret === true || !isDocument) return payload;
    reply.header('vary', 'accept-encoding');
    const coding = codingOf(request.headers['accept-encoding']);
    if (coding === undefined || payload.length < LEAST_BYTES) return payload;
    reply.header('content-encoding', coding).removeHeader('content-length');
    return await CODINGS[coding](payload);
  });
}
