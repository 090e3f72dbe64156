import type { FastifyInstance } from 'fastify';
import { openKeys } from '../../../src/access/keys.ts';
import { createOrganisation } from '../../../src/access/organisations.ts';
import { createProject } from '../../../src/access/projects.ts';
import { beginSession } from '../../../src/access/operator-sessions.ts';
import type { OperatorRole } from '../../../src/core/operator-role.ts';
import { sealingOf } from '../../../src/access/stored-sealing.ts';
import type { Database } from '../../../src/database/database.ts';
import { csrfTokenOf } from '../../../src/operator/browser.ts';
import { SEALING_KEY } from '../access-rig.ts';
import { startOperatorApi } from '../operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from '../operator-rig.ts';
import type { Draw } from './draw.ts';
import type { FuzzRequest } from './requests.ts';
import type { Presented } from './turns.ts';
import { setOperatorPassword } from '../../../src/access/operator-passwords.ts';

/** A credential, and the rights that it gives. */
export interface Credential extends Presented {
  /** Undefined: the headers give no rights. */
  readonly role: OperatorRole | undefined;
  /** The only organisations that it sees; null: all. */
  readonly organisations: readonly string[] | null;
}

/** A port of loopback at which nothing listens: everything that the operator API asks refuses the connection. */
export const REFUSING = '127.0.0.1:1';

/** A secret of each source that is sent. */
export const PLANT_SECRET = 'p4ss-of-the-plant';

export const ORGANISATIONS = ['default', 'north', 'south'];
const NAMES = ['hall-1', 'hall-2', 'press-3', 'oven'];
const CODES = ['pump-hall', 'mill', 'dock'];

/** The operator API with operators of each role. It reaches no host but this one: the egress guard allows loopback only. */
export interface OperatorGround {
  readonly api: OperatorApiUnderTest;
  readonly credentials: readonly Credential[];
  /** What no answer may hold. */
  readonly secrets: string[];
  /** Gives the browser a session again, after one that was ended. */
  signInAgain(): Promise<void>;
  /** The present password of `paul`. */
  password(): string;
  /** Notes the secrets and the password that an accepted request made. */
  learn(request: FuzzRequest, text: string): void;
}

/** Secrets that answers are searched for: those of the ground, and the newest that were made. */
const MOST_MADE = 10;
const MOST_SECRETS = 18;

const PASSWORD = 'a horse on a staple';

/** Prepares organisations, projects and operators. `addRoutes` adds more routes to the API. */
export async function prepareOperatorGround(
  database: Database,
  addRoutes?: (app: FastifyInstance) => void,
): Promise<OperatorGround> {
  const api = await startOperatorApi(
    database,
    {
      DATABRIDGE_KEY: SEALING_KEY,
      DATABRIDGE_EGRESS_HOSTS: '127.0.0.1',
      DATABRIDGE_OPERATOR_URL: `http://${REFUSING}`,
      DATABRIDGE_OIDC_ISSUER: `http://${REFUSING}`,
      DATABRIDGE_OIDC_CLIENT_ID: 'bridge',
    },
    addRoutes,
  );
  // As every process does when it starts; else the first request that needs the key would make its proof, with no entry in the audit.
  await sealingOf(database, await openKeys({ home: '', sealingKey: SEALING_KEY })).verify();
  for (const id of ORGANISATIONS) {
    await createOrganisation(database, { id, name: id }, 'test');
    for (const code of CODES) await createProject(database, { organisation: id, code }, 'test');
  }
  const by = new Map<string, SignedIn>();
  for (const [name, role, organisations] of [
    ['root', 'admin', undefined],
    ['anna', 'operator', undefined],
    ['vera', 'viewer', undefined],
    ['nora', 'admin', ['north']],
    ['sven', 'operator', ['south']],
    ['paul', 'operator', undefined],
  ] as const) {
    by.set(name, await api.operator(name, role, organisations));
  }
  let [secret, password] = ['', PASSWORD];
  await setOperatorPassword(database, 'paul', { password, temporary: false }, 'test');
  const signInAgain = async (): Promise<void> => {
    secret = await database.transaction((client) =>
      beginSession(client, by.get('paul')?.id ?? 0, { address: '127.0.0.1', agent: 'fuzz' }),
    );
  };
  await signInAgain();
  const ofToken = (name: string, weight: number): Credential => {
    const operator = by.get(name);
    if (operator === undefined) throw new Error(`there is no operator ${name}`);
    const headers = { authorization: `Bearer ${operator.token}` };
    return { name, role: operator.role, organisations: operator.organisations, headers: () => headers, weight };
  };
  const none = { role: undefined, organisations: [], weight: 4 };
  const origin = { origin: `http://${REFUSING}` };
  const cookie = (): string => `databridge=${secret}`;
  const credentials: readonly Credential[] = [
    ofToken('root', 25),
    ofToken('anna', 20),
    ofToken('vera', 14),
    ofToken('nora', 14),
    ofToken('sven', 8),
    {
      name: 'paul in a browser',
      role: 'operator',
      organisations: null,
      headers: () => ({ ...origin, cookie: cookie(), 'x-csrf-token': csrfTokenOf(secret) }),
      weight: 8,
    },
    {
      name: 'paul without the token of the page',
      role: 'operator',
      organisations: null,
      headers: () => ({ ...origin, cookie: cookie() }),
      weight: 3,
    },
    { ...none, name: 'no credential', headers: () => ({}) },
    {
      ...none,
      name: 'a token that was never made',
      headers: () => ({ authorization: `Bearer dbo_${'A'.repeat(43)}` }),
    },
    { ...none, name: 'a broken header', headers: () => ({ authorization: 'Bearer \u00ff, Basic x' }) },
    {
      ...none,
      name: 'a cookie that was never set',
      headers: () => ({ ...origin, cookie: 'databridge=x; databridge=%zz' }),
    },
  ];
  const secrets = [...[...by.values()].map(({ token }) => token), 'A'.repeat(43), PLANT_SECRET];
  return {
    api,
    credentials,
    secrets,
    signInAgain,
    password: () => password,
    learn({ operation, payload }, text) {
      if (operation.id === 'changePassword') {
        password = (JSON.parse(String(payload)) as { password: string }).password;
      }
      const made = /"secret":"([^"]+)"/.exec(text)?.[1];
      if (made === undefined) return;
      secrets.push(made);
      // The newest are enough, and each answer is searched for all.
      if (secrets.length > MOST_SECRETS) secrets.splice(-MOST_MADE, 1);
    },
  };
}

const TIMES = [
  '7d',
  '1h',
  '30m',
  '1d',
  '2026-11-01T00:00:00Z',
  '2026-11-20T00:00:00+01:00',
  '2026-11-21T00:00:00Z',
  '365d',
];

/** Values for properties of requests, so that many of them name things that exist. */
export const operatorWords = (ground: OperatorGround): Readonly<Record<string, (draw: Draw) => unknown>> => ({
  'session name': () => 'paul',
  current: ground.password,
  password: (draw) => draw.one([ground.password(), 'another horse on a staple']),
  organisation: (draw) => draw.one(ORGANISATIONS),
  name: (draw) => draw.one(NAMES),
  code: (draw) => draw.one([...CODES, 'new', 'new-2', 'new-3']),
  project: (draw) => draw.one(CODES),
  platform: () => 'influxdb',
  from: (draw) => draw.one(TIMES),
  to: (draw) => draw.one(['1h', '1m', '2026-11-20T00:00:00Z']),
  silent: (draw) => draw.one(['1d', '30m', '1h']),
  sensor: (draw) => draw.one(['pump-*', 'a', '*']),
  url: (draw) => draw.one([`https://${REFUSING}`, `https://${REFUSING}/v0`, `http://${REFUSING}`]),
  secret: () => PLANT_SECRET,
  document: (draw) => written(documentOf(draw), draw),
  oddDocument: (draw) => written(changedIn(documentOf(draw), draw), draw),
});

function documentOf(draw: Draw): Readonly<Record<string, unknown>> {
  const start = draw.one(['2026-11-01T00:00:00Z', '7d', '2026-11-20T00:00:00Z']);
  return {
    name: draw.one(NAMES),
    ...(draw.happens(0.7) && { organisation: draw.one(ORGANISATIONS) }),
    project: draw.one(CODES),
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: {
      url: `http://${REFUSING}`,
      username: draw.one(['reader', 'other']),
      password: draw.happens(0.9) ? PLANT_SECRET : '(secret)',
    },
    options: { database: draw.one(['plant', 'mill']) },
    schedule: { every: draw.one(['1m', '5m', '10s']), start },
  };
}

/** The document with one field changed, at any depth. */
function changedIn(document: Readonly<Record<string, unknown>>, draw: Draw): unknown {
  const name = draw.one(Object.keys(document));
  const old = document[name];
  if (typeof old === 'object' && old !== null && draw.happens(0.7)) {
    return { ...document, [name]: changedIn(old as Readonly<Record<string, unknown>>, draw) };
  }
  const { [name]: _, ...others } = document;
  if (draw.happens(0.2)) return others;
  if (draw.happens(0.1)) return { ...document, more: 1 };
  // An address that is changed has no host, so that no other host is named.
  return {
    ...others,
    [name]: draw.one<unknown>([
      '',
      'a\u0000b',
      '\ud800',
      '${env:HOME}',
      '${file:/etc/hostname}',
      null,
      7,
      [],
      {},
      { toString: 1 },
      'x'.repeat(300),
      '-1m',
      '0s',
      '温度',
      'none',
      '999999999d',
    ]),
  };
}

/** The document as JSON, or as YAML of one level less. */
function written(document: unknown, draw: Draw): string {
  if (draw.happens(0.6) || typeof document !== 'object' || document === null) return JSON.stringify(document);
  return Object.entries(document)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('');
}
