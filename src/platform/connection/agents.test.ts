import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { agentPool } from './agents.ts';
import { guardEgress } from './egress.ts';
import { json, openRig, serve, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

it('sources share the connections to a host, and the last one to close closes them', async () => {
  const sockets = new Set<Socket>();
  const url = await serve((request, response) => {
    sockets.add(request.socket);
    json(response, 'x');
  });
  const agents = agentPool({ guard: guardEgress(undefined), proxy: undefined });
  const [one, other] = [openRig(url, {}, { agents }), openRig(url, {}, { agents })];
  await one.http.get('/');
  await other.http.get('/');
  expect(sockets.size).toBe(1);
  await one.connection.close();
  await expect(one.http.get('/')).rejects.toMatchObject({ code: 'cancelled' });
  await other.http.get('/');
  expect(sockets.size).toBe(1);
  await other.connection.close();
  const [socket] = sockets;
  while (socket?.destroyed !== true) await sleep(5);
});

it('other settings of TLS have connections of their own', () => {
  const agents = agentPool({ guard: guardEgress(undefined), proxy: undefined });
  const plain = agents.take('plant.test', {});
  expect(agents.take('other.test', {})).toBe(plain);
  const named = agents.take('plant.test', { serverName: 'a' });
  expect(named).not.toBe(plain);
  expect(agents.take('plant.test', { serverName: 'a' })).toBe(named);
  expect(agents.take('other.test', { serverName: 'a' })).not.toBe(named);
});
