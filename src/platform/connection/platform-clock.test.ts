import { afterEach, expect, it } from 'vitest';
import { SECOND } from '../../core/instant.ts';
import { NOW, json, openRig, serve, tidyUp } from '../../../test/kit/connection-rig.ts';
import type { Rig } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const dateOf = (ahead: number): string => new Date((NOW + ahead) / 1000).toUTCString();

/** A platform that answers each path with the headers and status of its own. */
async function platformOf(answers: Readonly<Record<string, { status?: number; headers: object }>>): Promise<Rig> {
  const url = await serve((request, response) => {
    const { status = 200, headers } = answers[request.url ?? ''] ?? { headers: {} };
    response.sendDate = false;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
    json(response, {}, status);
  });
  return openRig(url);
}

it('shows the difference of the clocks in the newest answers, until it was taken', async () => {
  const { http, connection } = await platformOf({
    '/ahead': { headers: { date: dateOf(30 * SECOND) } },
    '/behind': { headers: { date: dateOf(-30 * SECOND) } },
    '/refused': { status: 404, headers: { date: dateOf(0) } },
  });
  expect(connection.clock.take()).toEqual([]);
  await http.get('/ahead');
  await http.get('/behind');
  await http.get('/refused').catch(() => undefined);
  expect(connection.clock.take()).toEqual([30 * SECOND, -29 * SECOND, 0]);
  expect(connection.clock.take()).toEqual([]);
  for (let place = 0; place < 10; place += 1) await http.get('/ahead');
  expect(connection.clock.take()).toEqual(Array(8).fill(30 * SECOND));
});

it('takes no clock from a cache, a gateway, an answer without a date or a date that is none', async () => {
  const { http, connection } = await platformOf({
    '/cache': { headers: { date: dateOf(-60 * SECOND), age: 60 } },
    '/gateway': { status: 502, headers: { date: dateOf(60 * SECOND) } },
    '/none': { headers: {} },
    '/odd': { headers: { date: 'yesterday' } },
  });
  for (const path of ['/cache', '/gateway', '/none', '/odd']) await http.get(path).catch(() => undefined);
  expect(connection.clock.take()).toEqual([]);
});

it('takes no clock from another server, such as one for logins', async () => {
  const logins = await serve((_request, response) => {
    response.setHeader('date', dateOf(60 * SECOND));
    json(response, {});
  });
  const url = await serve((_request, response) => {
    response.setHeader('date', dateOf(0));
    json(response, {});
  });
  const { http, connection } = openRig(url, {
    authorisation: {
      sign: () => ({}),
      obtain: async (login) => {
        await login.get(logins);
        return { token: 'token', expiresAt: undefined };
      },
    },
  });
  await http.get('/');
  expect(connection.clock.take()).toEqual([0]);
});
