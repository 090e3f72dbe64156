import { afterEach, describe, expect, test } from 'vitest';
import { SimulatedClock } from './clock.ts';
import type { SimulatedPlatform } from './contract.ts';
import type { SimulatedFault } from './faults.ts';
import { serve } from './serve.ts';
import type { ServedSimulator } from './serve.ts';

let server: ServedSimulator | undefined;
let restarts = 0;
afterEach(async () => await server?.close());

/** Answers the query of a request, and errors in words of its own. */
const echo: SimulatedPlatform = {
  answer: ({ query, badSensors }) => ({ status: 200, body: JSON.stringify({ asked: query.toString(), badSensors }) }),
  errorAnswer: (status) => ({ status, body: `{"complaint":${status}}` }),
  invalidateTokens: () => undefined,
  restart: () => (restarts += 1),
  state: () => ({}),
};

async function ask(fault: SimulatedFault, path: string): Promise<Response> {
  await server?.close();
  server = await serve(echo, new SimulatedClock(), { faults: [fault] });
  return await fetch(`${server.url}${path}`, { redirect: 'manual' });
}

describe('a fault', () => {
  test('gives the error of the product with status 200', async () => {
    const answer = await ask({ kind: 'error-in-200', status: 500 }, '/a');
    expect([answer.status, await answer.text()]).toEqual([200, '{"complaint":500}']);
  });

  test('redirects to a login page of the same server, or elsewhere', async () => {
    const answer = await ask({ kind: 'redirect', to: 'login' }, '/a');
    expect(answer.status).toBe(302);
    const page = await fetch(`${server?.url}${answer.headers.get('location')}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
    const away = await ask({ kind: 'redirect', to: 'elsewhere', status: 307 }, '/a');
    expect(away.status).toBe(307);
    expect(new URL(away.headers.get('location') ?? '').origin).not.toBe(server?.url);
  });

  test('repeats the first answer for each path', async () => {
    await ask({ kind: 'repeat' }, '/a?page=1');
    const texts = [];
    for (const path of ['/a?page=2', '/b?page=3', '/a?page=4', '/b?page=5']) {
      texts.push(((await (await fetch(`${server?.url}${path}`)).json()) as { asked: string }).asked);
    }
    expect(texts).toEqual(['page=1', 'page=3', 'page=1', 'page=3']);
  });

  test('sends a long body without holding it, and the answer in pieces without changing it', async () => {
    const flood = await ask({ kind: 'flood', bytes: 3_000_000 }, '/a');
    expect((await flood.text()).length).toBe(3_000_000);
    const slow = await ask({ kind: 'slow-body', pauseMs: 1, pieces: 7 }, '/a?x=y');
    expect(await slow.json()).toEqual({ asked: 'x=y', badSensors: [] });
  });

  test('names the sensors that fail', async () => {
    const answer = await ask({ kind: 'bad-sensor', device: 'pump', as: 'forbidden' }, '/a');
    expect(await answer.json()).toEqual({ asked: '', badSensors: [{ device: 'pump', as: 'forbidden' }] });
  });

  test('restarts the server: the request ends without an answer, and the next one is answered', async () => {
    restarts = 0;
    await expect(ask({ kind: 'restart', next: 1 }, '/a')).rejects.toThrow('fetch failed');
    expect(restarts).toBe(1);
    expect((await fetch(`${server?.url}/a`)).status).toBe(200);
  });
});
