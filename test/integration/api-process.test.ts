import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertApiSettings } from '../../src/api/open.ts';
import type { BridgeError } from '../../src/core/errors.ts';
import { readSettings } from '../../src/settings.ts';
import { exitCodeOf } from '../../src/terminal/output.ts';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { makeCertificate } from '../kit/certificate.ts';
import { freePort } from '../kit/free-port.ts';
import { useDatabases } from '../kit/databases.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { MAIN } from '../kit/joined-program.ts';
import { PATH, curl, pushAs } from './api-rig.ts';
import type { Client } from './api-rig.ts';
import { databridge, environment } from './command-line.ts';

const databases = useDatabases();
let bridge: BridgeUnderTest;
const running: RunningProcess[] = [];

beforeEach(async () => {
  await install({ DATABASE_URL: await databases.createMigrated() });
});

afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await bridge.remove();
});

async function install(env: NodeJS.ProcessEnv): Promise<void> {
  bridge = await makeBridge(env);
  await bridge.succeed('project', 'create', 'hall');
}

/** Starts the API as an operator does; returns the address that it logs. */
async function start(
  command: 'api' | 'up',
  env: NodeJS.ProcessEnv = {},
): Promise<{ url: string; process: RunningProcess }> {
  const started = await startProcess({
    name: `databridge ${command}`,
    command: process.execPath,
    args: [MAIN, command],
    env: environment({ ...bridge.settings, ...env }),
    ready: (one) => one.output().includes('the API is up'),
  });
  running.push(started);
  return { url: /"url":"(https?:[^"]+)"/.exec(started.output())?.[1] ?? '', process: started };
}

async function clientOf(url: string, ...args: string[]): Promise<Client> {
  const created = JSON.parse(await bridge.succeed('application', 'create', `gw-${url}`, '--json')) as Client;
  const basic = `${created.applicationId}:${created.secret}`;
  const answer = await curl(...args, '-u', basic, '-d', 'grant_type=client_credentials', `${url}/v0/oauth2/token`);
  return { ...created, token: (answer.json as { access_token: string }).access_token };
}

const reading = (sensorId: string, second = 0): unknown => ({
  sensorId,
  date: `2026-11-20T08:15:${String(second).padStart(2, '0')}Z`,
  value: second,
});

const storedSensors = async (): Promise<string[]> => {
  const { client, close } = await bridge.database();
  try {
    const { rows } = await client.query<{ sensor_id: string }>(
      'select sensor_id from reading join series on series.id = series order by 1',
    );
    return rows.map((row) => row.sensor_id);
  } finally {
    await close();
  }
};

describe('a push that was answered 200', () => {
  it('is stored, also when API and database are killed right after the answer', async () => {
    // The embedded server, because the test kills it.
    await bridge.remove();
    await install({ DATABASE_URL: undefined });
    const expected: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { url, process: api } = await start('api');
      const client = await clientOf(url);
      const sensors = Array.from({ length: 8 }, (_, index) => `s${round}-${index}`);
      const answers = sensors.map((sensor) => pushAs(client, url + PATH, [reading(sensor)]));
      // Both are killed at the first answer; the other pushes may or may not have been answered.
      await Promise.race(answers);
      const pidFile = await readFile(join(bridge.home, 'postgres/data/postmaster.pid'), 'utf8');
      process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
      await api.kill9();
      for (const [index, answer] of (await Promise.allSettled(answers)).entries()) {
        if (answer.status === 'fulfilled' && answer.value.status === 200) expected.push(sensors[index] as string);
      }
    }
    expect(expected.length).toBeGreaterThanOrEqual(3);
    expect(await storedSensors()).toEqual(expect.arrayContaining(expected));
  });

  it('is stored, and no other one is, when the API stops while pushes are under way', async () => {
    const { url, process: api } = await start('api');
    const client = await clientOf(url);
    const large = (sensor: string): unknown[] =>
      Array.from({ length: 5_000 }, (_, index) => ({
        sensorId: sensor,
        date: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
        value: index,
      }));
    const answers = Array.from({ length: 6 }, (_, index) => pushAs(client, url + PATH, large(`s${index}`)));
    await Promise.race(answers);
    expect(await api.stop(60_000)).toMatchObject({ code: 0 });
    const taken = (await Promise.allSettled(answers)).filter(
      (answer) => answer.status === 'fulfilled' && answer.value.status === 200,
    );
    expect((await storedSensors()).length).toBe(5_000 * taken.length);
  });
});

describe('databridge up', () => {
  it('polls while the port of the API is taken, and serves the API when the port is free', async () => {
    const port = await freePort();
    const taken = createServer().listen(port, '127.0.0.1');
    const up = await startProcess({
      name: 'databridge up',
      command: process.execPath,
      args: [MAIN, 'up'],
      env: environment({ ...bridge.settings, DATABRIDGE_API_PORT: String(port) }),
      ready: (one) => one.output().includes('databridge is up') && one.output().includes('the API is not up'),
    });
    running.push(up);
    expect(up.output()).toContain('DATABRIDGE_API_PORT');
    taken.closeAllConnections();
    await new Promise((resolve) => taken.close(resolve));
    while (!up.output().includes('the API is up')) await sleep(100);
    expect(await curl(`http://127.0.0.1:${port}/readyz`)).toMatchObject({ status: 200 });
    const page = /"page":"([^"]+)"/.exec(up.output())?.[1] ?? '';
    expect((await fetch(page)).headers.get('content-type')).toContain('text/html');
    expect(await up.stop(60_000)).toMatchObject({ code: 0 });
  });
});

describe('databridge api', () => {
  it.each<[NodeJS.ProcessEnv, RegExp]>([
    [{ DATABRIDGE_API_HOST: '::' }, /plain HTTP on ::/],
    [{ DATABRIDGE_API_TLS_CERT: 'x.pem' }, /DATABRIDGE_API_TLS_KEY is not set/],
    [{ DATABRIDGE_API_TLS_CERT: 'x.pem', DATABRIDGE_API_TLS_KEY: 'x.key' }, /cannot be used: ENOENT[^]*PEM/],
    [{ DATABRIDGE_API_PORT: '70000' }, /DATABRIDGE_API_PORT/],
    [{ DATABRIDGE_API_TRUST_PROXY: 'nonsense' }, /DATABRIDGE_API_TRUST_PROXY/],
  ])('takes no settings %o', (env, message) => {
    let thrown: unknown;
    try {
      assertApiSettings(readSettings(env));
    } catch (error) {
      thrown = error;
    }
    expect(exitCodeOf(thrown)).toBe(2);
    const { message: said, remedy } = thrown as BridgeError;
    expect(`${said}\n${remedy}`).toMatch(message);
  });

  it('ends with an error and a remedy where its settings are wrong, before it starts or as it listens', async () => {
    const cases: [NodeJS.ProcessEnv, RegExp][] = [
      [{ DATABRIDGE_API_HOST: '0.0.0.0' }, /plain HTTP on 0\.0\.0\.0[^]*DATABRIDGE_API_TLS_CERT/],
      [{ DATABRIDGE_API_HOST: '192.0.2.1', DATABRIDGE_API_ALLOW_PLAIN: 'true' }, /cannot listen on 192\.0\.2\.1/],
    ];
    for (const [env, message] of cases) {
      const ended = await ends(env);
      expect(ended.output).toMatch(message);
      expect(ended.code).toBe(2);
    }
  });

  it('ends where its port is taken', async () => {
    const { url } = await start('api');
    const ended = await ends({ DATABRIDGE_API_PORT: new URL(url).port });
    expect(ended.output).toMatch(/is taken[^]*DATABRIDGE_API_PORT/);
    expect(ended.code).toBe(1);
  });

  it('shares its port with another one where both are told so, and the pushes that either answered are stored', async () => {
    const shared = { DATABRIDGE_API_SHARE_PORT: 'true', DATABRIDGE_OPERATOR: 'off' };
    const { url, process: first } = await start('api', shared);
    const { port } = new URL(url);
    const second = await start('api', { ...shared, DATABRIDGE_API_PORT: port });
    expect(second.url).toBe(url);
    const unshared = await ends({ DATABRIDGE_API_PORT: port });
    expect(unshared.output).toContain('is taken');
    const client = await clientOf(url);
    const expected: string[] = [];
    const push = async (sensor: string): Promise<boolean> => {
      const answer = await pushAs(client, url + PATH, [reading(sensor)]).catch(() => undefined);
      if (answer?.status !== 200) return false;
      expected.push(sensor);
      return true;
    };
    const pushMany = (name: string) =>
      Promise.all(Array.from({ length: 12 }, async (_, index) => await push(`${name}-${index}`)));
    expect(await pushMany('both')).not.toContain(false);
    await Promise.all([first.kill9(), pushMany('dying')]);
    // Each push is a connection of its own, and the kernel gives all of them to the process that is left.
    expect(await pushMany('second')).not.toContain(false);
    expect(await storedSensors()).toEqual(expect.arrayContaining(expected));
  });

  async function ends(env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
    const { code, stdout, stderr } = await databridge(['api'], { env: { ...bridge.settings, ...env } });
    return { code, output: stdout + stderr };
  }

  it('speaks TLS with its own certificate', async () => {
    const { certificatePath, keyPath } = await makeCertificate(bridge.home);
    const { url, process: api } = await start('api', {
      DATABRIDGE_API_TLS_CERT: certificatePath,
      DATABRIDGE_API_TLS_KEY: keyPath,
    });
    expect(url).toMatch(/^https:/);
    const trust = ['--cacert', certificatePath];
    const client = await clientOf(url, ...trust);
    const answer = await pushAs(client, url + PATH, [reading('a')], ...trust);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers['strict-transport-security']).toContain('max-age');
    await expect(curl(`${url}/healthz`)).rejects.toThrow(/self.signed/);
    await expect(curl(...trust, '--tls-max', '1.1', `${url}/healthz`)).rejects.toThrow();
    const { port } = new URL(url);
    const plain = connect(Number(port), '127.0.0.1');
    plain.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    for await (const bytes of plain) expect(String(bytes)).not.toContain('200');
    expect(api.running()).toBe(true);
  });
});
