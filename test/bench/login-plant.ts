import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { POINT_MS, READER, pointOf } from './dataset.ts';

/**
 * The cheapest platform with a login: a ThingsBoard of one device a source, which has a point every ten seconds. It answers at all
 * addresses of this machine, each a host of its own, and remembers when each host was asked and how many connections it had. Its
 * administrator has a port of its own, so that the platform can be away.
 */

/** A login takes so long, because the platform hashes a password. */
const LOGIN_MS = 20;

/** What one host got since the last `POST /__admin/forget`. */
interface Host {
  /** When requests came, and requests for a token, ms. */
  readonly requests: number[];
  readonly logins: number[];
  open: number;
  mostOpen: number;
}

const hosts = new Map<string, Host>();
/** How often the plant gave a token for a password, refused a token, and refused a password. */
let given = { tokens: 0, refusedTokens: 0, refusedPasswords: 0 };
let password: string = READER.password;
let generation = 0;
let tokens = 0;

const hostOf = (socket: Pick<Socket, 'localAddress'>): Host => {
  const address = socket.localAddress ?? '';
  const known = hosts.get(address) ?? { requests: [], logins: [], open: 0, mostOpen: 0 };
  hosts.set(address, known);
  return known;
};

const now = (): number => performance.timeOrigin + performance.now();
const say = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const platform = createServer((request, response) => {
  if (request.method !== 'POST') return answer(request, response);
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
  request.on('end', () => {
    hostOf(request.socket).logins.push(now());
    setTimeout(() => logIn(request.url ?? '', JSON.parse(body) as Login, response), LOGIN_MS);
  });
});
platform.keepAliveTimeout = 120_000;
platform.on('connection', (socket) => {
  const host = hostOf(socket);
  host.open += 1;
  host.mostOpen = Math.max(host.mostOpen, host.open);
  socket.once('close', () => (host.open -= 1));
});

interface Login {
  readonly password?: string;
  readonly refreshToken?: string;
}

function logIn(path: string, login: Login, response: ServerResponse): void {
  const isRenewal = path === '/api/auth/token';
  if (isRenewal ? !isValid(login.refreshToken) : login.password !== password) {
    given[isRenewal ? 'refusedTokens' : 'refusedPasswords'] += 1;
    return say(response, 401, { message: 'Invalid username or password', errorCode: 10 });
  }
  given.tokens += 1;
  say(response, 200, { token: newToken(), refreshToken: newToken() });
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function newToken(): string {
  tokens += 1;
  const exp = Math.floor(Date.now() / 1_000) + 9_000;
  return `${encoded({ alg: 'none' })}.${encoded({ exp, number: tokens, scopes: ['TENANT_ADMIN'] })}.g${generation}`;
}

const isValid = (token: string | undefined): boolean => token?.endsWith(`.g${generation}`) === true;

function answer(request: IncomingMessage, response: ServerResponse): void {
  hostOf(request.socket).requests.push(now());
  if (!isValid(String(request.headers['x-authorization']))) {
    given.refusedTokens += 1;
    return say(response, 401, { message: 'Authentication failed', errorCode: 10 });
  }
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://plant');
  const [, device = ''] = /^\/api\/plugins\/telemetry\/DEVICE\/([^/]+)\//.exec(pathname) ?? [];
  if (pathname.endsWith('/values/timeseries/history')) {
    const [from, to] = [Number(searchParams.get('startTs')), Number(searchParams.get('endTs'))];
    const value: { ts: number; value: number }[] = [];
    for (let ts = Math.ceil(from / POINT_MS) * POINT_MS; ts < to; ts += POINT_MS)
      value.push({ ts, value: pointOf(device, ts) });
    return say(response, 200, value.length === 0 ? {} : { value });
  }
  if (pathname.endsWith('/keys/timeseries')) return say(response, 200, ['value']);
  const ids = (searchParams.get('deviceIds') ?? '').split(',');
  if (pathname === '/api/devices')
    return say(
      response,
      200,
      ids.map((id) => ({ id: { entityType: 'DEVICE', id }, name: id, type: 'pump' })),
    );
  say(response, 404, { message: `not simulated: ${request.url}` });
}

const most = (of: (host: Host) => number): number => Math.max(0, ...[...hosts.values()].map(of));

/** The figures of the host that had the most of each. */
const figures = (): object => ({
  ...given,
  requests: [...hosts.values()].reduce((sum, host) => sum + host.requests.length, 0),
  logins: [...hosts.values()].reduce((sum, host) => sum + host.logins.length, 0),
  busiestRequests: most((host) => mostInAnySecond(host.requests)),
  busiestLogins: most((host) => mostInAnySecond(host.logins)),
  busiestTenth: most((host) => mostInAnySecond(host.requests.map((at) => at * 10))),
  mostOpen: most((host) => host.mostOpen),
  seconds: bySecond(),
});

/** Requests, tokens included, of the host with the most of them, in each second since the first. */
function bySecond(): number[] {
  const [first = []] = [...hosts.values()]
    .map(({ requests, logins }) => [...requests, ...logins])
    .toSorted((one, other) => other.length - one.length);
  const sorted = first.toSorted((one, other) => one - other);
  const [from = 0] = sorted;
  const seconds: number[] = [];
  for (const at of sorted) {
    const second = Math.floor((at - from) / 1_000);
    while (seconds.length <= second) seconds.push(0);
    seconds[second] = (seconds[second] ?? 0) + 1;
  }
  return seconds;
}

function forget(): object {
  given = { tokens: 0, refusedTokens: 0, refusedPasswords: 0 };
  for (const host of hosts.values()) {
    host.requests.length = 0;
    host.logins.length = 0;
    host.mostOpen = host.open;
  }
  return {};
}

const listening = (port: number): Promise<number> =>
  new Promise((resolve) => platform.listen(port, '0.0.0.0', () => resolve((platform.address() as AddressInfo).port)));
const port = await listening(0);

const admin: Readonly<Record<string, () => object | Promise<object>>> = {
  port: () => ({ port }),
  figures,
  forget,
  // Connections are closed and new ones refused.
  away: async () => {
    const closed = new Promise((resolve) => platform.close(resolve));
    platform.closeAllConnections();
    await closed;
    return {};
  },
  back: async () => ({ port: await listening(port) }),
  // The tokens of the former password end.
  rotate: () => {
    generation += 1;
    password = `${READER.password}, ${generation}`;
    return { password };
  },
};

const administrator = createServer((request, response) => {
  const act = admin[(request.url ?? '').replace('/__admin/', '')];
  request.resume().once('end', () => {
    void Promise.resolve(act?.()).then((shown = {}) => say(response, act ? 200 : 404, shown));
  });
});
administrator.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(administrator.address() as AddressInfo).port}` })}\n`,
  );
});
process.stdin.resume().once('end', () => process.exit(0));
