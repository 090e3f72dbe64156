import type { ThingsBoardOptions } from '../../../adapters/platforms/thingsboard/simulator/options.ts';
import { startSimulator, type RunningSimulator } from '../../kit/simulator.ts';

export const tenant = { username: 'tenant@example.test', password: 'tenant-password' };
export const customer = { username: 'customer@example.test', password: 'customer-password' };

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; a body that is not JSON throws here, not before. */
  json<Shape = unknown>(): Shape;
}

export interface TokenPair {
  readonly token: string;
  readonly refreshToken: string;
}

export type Points = Record<string, { ts: number; value: unknown }[]>;

/** A client of the simulated product that sends nothing of its own. */
export class Client {
  readonly simulator: RunningSimulator;
  token = '';

  constructor(simulator: RunningSimulator) {
    this.simulator = simulator;
  }

  async get(path: string, headers: Record<string, string> = this.authorization()): Promise<Reply> {
    return reply(await fetch(this.simulator.url + path, { headers }));
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    return reply(await fetch(this.simulator.url + path, { ...sent, body: JSON.stringify(body) }));
  }

  async logIn(account = tenant): Promise<TokenPair> {
    const pair = (await this.post('/api/auth/login', account)).json<TokenPair>();
    this.token = pair.token;
    return pair;
  }

  /** Reads time series of a device; `query` is sent as it is. */
  async values(deviceId: string, query: Record<string, string | number>, suffix = ''): Promise<Reply> {
    const search = searchOf(query);
    return this.get(`/api/plugins/telemetry/DEVICE/${deviceId}/values/timeseries${suffix}?${search}`);
  }

  authorization(): Record<string, string> {
    return { 'x-authorization': `Bearer ${this.token}` };
  }
}

/** Runs `use` with a new simulator and a client that is logged in, and ends the simulator whatever happens. */
export async function withThingsBoard(
  options: Partial<ThingsBoardOptions> & { readonly clockMs?: number },
  use: (client: Client, simulator: RunningSimulator) => Promise<void>,
): Promise<void> {
  const simulator = await startSimulator({ name: 'thingsboard', ...options });
  try {
    const client = new Client(simulator);
    await client.logIn();
    await use(client, simulator);
  } finally {
    await simulator.stop();
  }
}

/** The query string of these parameters, as this client sends it. */
export function searchOf(query: Record<string, string | number>): string {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]);
  return String(new URLSearchParams(texts));
}

async function reply(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: <Shape>() => JSON.parse(text) as Shape };
}
