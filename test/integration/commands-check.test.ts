import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../kit/certificate.ts';
import { freePort } from '../kit/free-port.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startProxy } from '../kit/proxy.ts';
import type { Proxy } from '../kit/proxy.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// `source check` as an operator sees it, against real servers and without any database.

let influx: Influx;
let recorder: HttpFault;
let silentProxy: Proxy;
let directory: TempDirectory;
const otherServer = createServer((_request, response) => void response.end('<h1>It works!</h1>'));
let tlsServer: ReturnType<typeof createTlsServer>;

const urlOf = (server: { address(): unknown }, scheme: string): string =>
  `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  directory = await makeTempDirectory('check');
  const { certificatePath, keyPath } = await makeCertificate(directory.path);
  const [cert, key] = await Promise.all([readFile(certificatePath), readFile(keyPath)]);
  tlsServer = createTlsServer({ cert, key }, (_request, response) => void response.end());
  await Promise.all(
    [otherServer, tlsServer].map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))),
  );
  influx = await startInflux({ databases: ['plant', 'empty'] });
  recorder = await startHttpFault(influx.url);
  silentProxy = await startProxy({ port: Number(new URL(influx.url).port) });
  await silentProxy.set({ stalled: true });
  // The newest points lie ten minutes ahead, so that new ones become visible while the tests run.
  const newest = Date.now() * 1000 + 600_000_000;
  const lines = Array.from({ length: 1_200 }, (_, index) => {
    const unit = (index % 2) + 1;
    return `pump,unit=${unit} flow=${index / 4},state="ok" ${newest - index * 1_000_000}`;
  });
  await influx.write(lines, 'plant', 'u');
});

afterAll(async () => {
  otherServer.closeAllConnections();
  tlsServer.closeAllConnections();
  await Promise.all([otherServer, tlsServer].map((server) => new Promise((done) => server.close(done))));
  await Promise.all([recorder.close(), silentProxy.close(), influx.stop(), directory.remove()]);
  assertNothingLeaked();
});

interface Changes {
  readonly url?: string;
  readonly password?: string;
  readonly database?: string;
  readonly schedule?: string;
  readonly more?: string;
}

const sourceText = ({
  url = influx.url,
  password = '${env:PLANT_PASSWORD}',
  database = 'plant',
  schedule = '',
  more = '',
}: Changes): string => `
name: hall-3
project: pump-hall
kind: user-credentials
platform: influxdb
connection: { url: '${url}', username: reader, password: '${password}' }
options: { database: '${database}' }
schedule: { every: 10s, settle: 2s${schedule} }
${more}`;

/** Runs a command on a source from stdin, which may neither write to its home nor print the password. */
async function run(command: readonly string[], stdin: string): Promise<Ran> {
  const home = join(directory.path, 'home');
  const ran = await databridgeHere(['source', ...command], {
    stdin,
    env: { PLANT_PASSWORD: influx.reader.password, DATABRIDGE_HOME: home },
  });
  expect(existsSync(home)).toBe(false);
  expect(ran.stdout + ran.stderr).not.toContain(influx.reader.password);
  return ran;
}

const check = (changes: Changes): Promise<Ran> => run(['check', '-'], sourceText(changes));

/** The marks of the seven steps. */
const marks = ({ stdout }: Ran): string => [...stdout.matchAll(/^([✓✗!–]) /gmu)].map(([, mark]) => mark).join('');

describe('source check', () => {
  test('a correct source passes every step, and the number of requests is printed', async () => {
    const ran = await check({});
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(marks(ran)).toBe('✓✓✓✓✓✓✓');
    expect(ran.stdout).toMatch(/✓ platform {2}InfluxDB 1\./);
    expect(ran.stdout).toMatch(/✓ sensors {3}2 found: pump,unit=1 ; pump,unit=2; read in 1 stream: pump/);
    expect(ran.stdout).toMatch(/✓ window {4}60 readings of 2 series .* 60 refused \(not-a-number 60\); the newest is/);
    expect(ran.stdout).toMatch(/^\d+ requests? in .*; nothing was saved$/m);
  });

  test('the JSON document holds every step and the number of requests that were made', async () => {
    const madeBefore = recorder.requests.length;
    const ran = await run(['check', '-', '--json'], sourceText({ url: recorder.url }));
    const [document] = JSON.parse(ran.stdout) as [
      { ok: boolean; requests: number; steps: { step: string; ok: boolean }[] },
    ];
    expect(document.ok).toBe(true);
    expect(document.steps.map(({ step }) => step)).toEqual([
      'schema',
      'secrets',
      'address',
      'platform',
      'clock',
      'sensors',
      'window',
    ]);
    expect(document.requests).toBe(recorder.requests.length - madeBefore);
    expect(document.requests).toBeLessThanOrEqual(6);
  });

  test('a source that could lose its account to one change of the password is told', async () => {
    const ran = await check({ more: 'pace: { requestsPerSecond: 20, burst: 5, concurrency: 5 }' });
    expect(ran.code).toBe(0);
    expect(marks(ran)).toBe('✓!✓✓✓✓✓');
    expect(ran.stdout).toMatch(
      /! secrets .*each request carries the password, so 5 of them .* set pace.concurrency to 2/,
    );
  });

  test('a wrong password is tried at most twice, and reported as the cause', async () => {
    const ran = await check({ url: recorder.url, password: 'wrong' });
    expect(ran.code).toBe(1);
    expect(marks(ran)).toBe('✓✓✓✗–––');
    expect(recorder.requests.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(2);
    expect(ran.stdout).toMatch(/✗ platform .*401 Unauthorized/);
    expect(ran.stdout).toMatch(/try: check user, password or secret/);
    expect(ran.stdout).toMatch(/^– window {4}not tried$/m);
  });

  test('a database that does not exist or may not be read', async () => {
    const ran = await check({ database: 'elsewhere' });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/✗ platform .*does not let "reader" read "elsewhere"/);
    expect(ran.stdout).toMatch(/try: .*GRANT READ ON "elsewhere"/);
  });

  test('a port on which no program listens', async () => {
    const ran = await check({ url: `http://127.0.0.1:${await freePort()}` });
    expect(ran.code).toBe(1);
    expect(marks(ran)).toBe('✓✓✗––––');
    expect(ran.stdout).toMatch(/✗ address .*connection refused\n +try: check address and port/);
  });

  test('a host with an unknown name', async () => {
    const ran = await check({ url: 'http://no-such-plant.invalid:8086' });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/✗ address .*(name is not known|name server)/);
    expect(ran.stdout).toMatch(/try: check the spelling of the host/);
  });

  test('a server that accepts connections and never answers', async () => {
    const ran = await check({ url: `http://127.0.0.1:${silentProxy.port}` });
    expect(ran.code).toBe(1);
    expect(marks(ran)).toBe('✓✓✗––––');
    expect(ran.stdout).toMatch(/✗ address .*no answer within 10 s\n +try: .*firewall/);
  });

  test('https to a port that speaks plain http, http to one that speaks TLS, and an untrusted certificate', async () => {
    const [plain, tls, unknown] = await Promise.all([
      check({ url: influx.url.replace('http:', 'https:') }),
      check({ url: urlOf(tlsServer, 'http') }),
      check({ url: urlOf(tlsServer, 'https') }),
    ]);
    expect(plain.stdout).toMatch(/✗ address .*plain http, not https\n +try: begin the address with http:/);
    expect(tls.stdout).toMatch(/✗ address .*(speaks https|closed before an answer)[^\n]*\n +try: .*https:/);
    expect(unknown.stdout).toMatch(/✗ address .*self-signed\n +try: .*tls\.ca/);
    expect([plain, tls, unknown].map(({ code }) => code)).toEqual([1, 1, 1]);
  });

  test('a server that is not the platform', async () => {
    const ran = await check({ url: urlOf(otherServer, 'http') });
    expect(ran.code).toBe(1);
    expect(marks(ran)).toBe('✓✓✓✗–––');
    expect(ran.stdout).toMatch(/✗ platform .*this is not InfluxDB 1\.x/);
  });

  test('a secret that is not set', async () => {
    const ran = await check({ password: '${env:NO_SUCH_PASSWORD}' });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/✗ secrets .*NO_SUCH_PASSWORD is not set\n +try: set NO_SUCH_PASSWORD/);
    expect(ran.stdout).toMatch(/^0 requests/m);
  });

  test('a database without sensors is a warning, because sensors may come later', async () => {
    const ran = await check({ database: 'empty' });
    expect(ran.code).toBe(0);
    expect(marks(ran)).toBe('✓✓✓✓✓!–');
  });

  test('an error in the file is reported with its line, before the first request', async () => {
    const madeBefore = recorder.requests.length;
    const ran = await check({ url: recorder.url, schedule: ', evry: 5s' });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^-:8:\d+: schedule\.evry unknown key\n {2}try: did you mean "every"/m);
    expect(recorder.requests).toHaveLength(madeBefore);
  });

  test('a check keeps the quiet hours', async () => {
    const clock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
    const quiet = `pace: { quietHours: [{ from: '${clock(-1)}', to: '${clock(1)}', zone: UTC }] }`;
    const madeBefore = recorder.requests.length;
    const ran = await run(['check', '-'], sourceText({ url: recorder.url, more: quiet }));
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/quiet hours/);
    expect(recorder.requests).toHaveLength(madeBefore);
  });

  test('several sources are checked one after the other, and a failed one decides the exit code', async () => {
    const both = `${sourceText({})}\n---${sourceText({ password: 'wrong' }).replace('name: hall-3', 'name: hall-4')}`;
    const ran = await run(['check', '-'], both);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^hall-3\n/m);
    expect(marks(ran)).toBe('✓✓✓✓✓✓✓✓✓✓✗–––');
  });
});
