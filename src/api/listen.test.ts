import type { FastifyInstance } from 'fastify';
import { expect, it } from 'vitest';
import { readSettings } from '../settings.ts';
import { listen } from './listen.ts';

const { api } = readSettings({ DATABRIDGE_API_SHARE_PORT: 'true' });

/** A server whose system refuses to listen. */
const refusedWith = (code: string): FastifyInstance =>
  ({
    listen: () => Promise.reject(Object.assign(new Error(code), { code })),
  }) as unknown as FastifyInstance;

it.each([
  ['ENOTSUP', /no two processes/, /leave DATABRIDGE_API_SHARE_PORT out/],
  ['EADDRINUSE', /is taken/, /start that one with DATABRIDGE_API_SHARE_PORT=true/],
])('says what to do where the system answers %s to a shared port', async (code, message, remedy) => {
  await expect(listen(refusedWith(code), api, false)).rejects.toMatchObject({
    message: expect.stringMatching(message) as string,
    remedy: expect.stringMatching(remedy) as string,
  });
});
