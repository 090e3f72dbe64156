import { execFile } from 'node:child_process';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { expect, vi } from 'vitest';
import { createApplication } from '../../src/access/applications.ts';
import { createOrganisation } from '../../src/access/organisations.ts';
import { createProject } from '../../src/access/projects.ts';
import type { ApiMeters } from '../../src/api/meters.ts';
import { openKeys } from '../../src/access/keys.ts';
import { sealingOf } from '../../src/access/stored-sealing.ts';
import { openApi } from '../../src/api/open.ts';
import type { Instant } from '../../src/core/instant.ts';
import { clockOf } from '../../src/database/clock.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { readSettings } from '../../src/settings.ts';
import type { TestDatabases } from '../kit/databases.ts';

/** Credentials of an application, and a token it created. */
export interface Client {
  readonly applicationId: string;
  readonly secret: string;
  readonly token: string;
}

/** An API on a port of its own and a database of its own, with a project and an application. */
export interface ApiUnderTest {
  readonly url: string;
  readonly database: Database;
  readonly server: FastifyInstance;
  /** Everything that the API logged. */
  readonly log: () => string;
  readonly client: Client;
  /** The clock by which the API judges tokens. */
  readonly now: () => Instant;
  /** Creates another application, and its organisation where that does not exist. */
  application(name: string, given?: { organisation?: string; projects?: string[] }): Promise<Client>;
  /** Posts to the data endpoint of project `hall` of organisation `default`. */
  push(body: unknown, ...more: string[]): Promise<Answered>;
  close(): Promise<void>;
}

export const PATH = '/v0/organisations/default/data/hall';

/** Starts an API on a new database of the server, or on the empty one at `databaseUrl`. */
export async function startApi(
  databases: TestDatabases,
  environment: Record<string, string> = {},
  databaseUrl?: string,
  meters?: ApiMeters,
): Promise<ApiUnderTest> {
  const database =
    databaseUrl === undefined
      ? await databases.create()
      : await openDatabase({ url: databaseUrl, poolSize: 8, applicationName: 'api', patient: false });
  const settings = readSettings({ DATABRIDGE_API_PORT: '0', DATABRIDGE_KEY: 'A'.repeat(43), ...environment });
  let logged = '';
  const log = pino({ level: 'debug' }, { write: (line: string) => void (logged += line) });
  const sealing = sealingOf(database, await openKeys(settings));
  const clock = await clockOf(database);
  const api = await openApi({
    settings,
    database,
    clock,
    sealing,
    prepareReadings: readingPreparer(database),
    log,
    meters,
  });
  await createProject(database, { organisation: 'default', code: 'hall' }, 'test');

  async function application(
    name: string,
    given: { organisation?: string; projects?: string[] } = {},
  ): Promise<Client> {
    const { organisation = 'default', projects } = given;
    await createOrganisation(database, { id: organisation, name: organisation }, 'test');
    const credentials = await createApplication(database, { organisation, name, projects }, 'test');
    const basic = `${credentials.applicationId}:${credentials.secret}`;
    const ask = () => curl('-u', basic, '-d', 'grant_type=client_credentials', `${api.url}/v0/oauth2/token`);
    let answer = await ask();
    // Some tests let the API wait for its database for one second only; a busy machine may need longer for the first key.
    while (answer.status === 503) answer = await ask();
    return { ...credentials, token: (JSON.parse(answer.body) as { access_token: string }).access_token };
  }
  const client = await application('client');
  return {
    url: api.url,
    database,
    server: api.server,
    log: () => logged,
    client,
    now: clock.now,
    application,
    push: (body, ...more) => pushAs(client, `${api.url}${PATH}`, body, ...more),
    async close() {
      await api.close();
      if (databaseUrl !== undefined) await database.close();
    },
  };
}

/** Stops the clock of this process by which an API counts attempts, because a slow machine gives attempts back meanwhile. */
export function stopAttemptsClock(): void {
  // A whole number, with which the sums of attempts are exact.
  vi.spyOn(performance, 'now').mockReturnValue(Math.floor(performance.now()));
}

/** Posts readings as an application. Text and bytes are sent as they are, everything else as JSON. */
export const pushAs = (client: Client, url: string, body: unknown, ...more: string[]): Promise<Answered> =>
  curlWith(
    typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    ...bearer(client.token, 'Content-Type: application/json'),
    ...more,
    ...stdinTo(url),
  );

/** Arguments of curl: an access token, and other headers. */
export const bearer = (token: string, ...headers: string[]): string[] =>
  [`Authorization: Bearer ${token}`, ...headers].flatMap((header) => ['-H', header]);

/** Arguments of curl: the body is its standard input, unchanged. */
export const stdinTo = (url: string): string[] => ['--data-binary', '@-', url];

/** The answer that curl got. Names of headers are in lower case. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body, parsed; undefined where it is not JSON. */
  readonly json: unknown;
}

export const curl = (...args: string[]): Promise<Answered> => curlWith('', ...args);

/** Runs curl. Throws where there was no HTTP answer at all. */
export function curlWith(stdin: string | Buffer, ...args: string[]): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const report = '%{stderr}\n%{http_code} %{header_json}';
    const options = { maxBuffer: 64 * 1024 * 1024 };
    const child = execFile('curl', ['-sS', '-w', report, ...args], options, (_error, body, stderr) => {
      const [, status, headers = ''] = /\n(\d{3}) (\{[^]*\})\s*$/.exec(stderr) ?? [];
      if (status === undefined || status === '000') {
        reject(new Error(`curl: ${stderr}`));
        return;
      }
      const named = Object.entries(JSON.parse(headers) as Record<string, string[]>);
      resolve({
        status: Number(status),
        headers: Object.fromEntries(named.map(([name, values]) => [name, values.join(', ')])),
        body,
        json: parsed(body),
      });
    });
    child.stdin?.on('error', () => undefined).end(stdin);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Expects an error document of RFC 9457 without a stack. */
export function expectProblem(answer: Answered, status: number, name: string): void {
  expect(answer.status, answer.body).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.json).toEqual({
    type: expect.stringMatching(new RegExp(`^(?:/docs/problems/|urn:databridge:problem:)${name}$`)) as string,
    code: name,
    title: expect.any(String) as string,
    status,
    detail: expect.any(String) as string,
    instance: `urn:databridge:request:${answer.headers['x-request-id']}`,
    errors: expect.any(Array) as unknown[],
  });
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(answer.body).not.toMatch(/\bat .*\.(?:ts|js)\b|node_modules|postgres/);
}
