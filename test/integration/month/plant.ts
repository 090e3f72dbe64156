import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { contractBroken } from '../../../src/core/errors.ts';
import { DAY, MILLISECOND, MINUTE, SECOND } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { basic } from '../../../src/platform/authorisation/basic.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import type { Platform } from '../../../src/platform/contract.ts';
import { exactFacts } from '../../kit/facts.ts';
import type { ModelTime } from '../model/time.ts';
import { OVERLAP, PACE } from './scene.ts';
import { shownOf } from './truth.ts';
import type { TrueSensor } from './truth.ts';

/** How the platform fails. `storm`: it asks for silence, again and again. `page`: a web page in place of the answer. */
export type PlantFault = 'unavailable' | 'reset' | 'storm' | 'page';

/** A request as the platform saw it. */
export interface Seen {
  readonly at: Instant;
  readonly status: number;
  /** The time that it asked for; undefined for a list of sensors. */
  readonly window: Window | undefined;
}

/** The platform of one source: a strict server, which knows its truth and keeps account of each request. */
export interface MonthPlant {
  readonly url: string;
  readonly platform: Platform;
  readonly sensors: readonly TrueSensor[];
  readonly seen: readonly Seen[];
  /** Requests that did not have exactly the form of the platform's API, or came beside another one. */
  readonly improper: readonly string[];
  fault: PlantFault | undefined;
  password: string;
  /** Happens once, before the next answer with points leaves. */
  amid: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** The storm asks for so much silence, s. */
const STORM_SECONDS = 120;
const TOOK = 20 * MILLISECOND;

const answered = z.strictObject({
  points: z.array(z.tuple([z.string(), z.number(), z.union([z.number(), z.boolean()])])),
});
const listed = z.strictObject({ sensors: z.array(z.string()) });

/** Starts the platform. `time` is its clock; `localTime`: it tells and is asked by local times. */
export async function openMonthPlant(
  time: ModelTime,
  given: {
    readonly name: string;
    readonly sensors: readonly TrueSensor[];
    readonly sensorsPerRead: number;
    readonly localTime?: boolean;
  },
): Promise<MonthPlant> {
  const { name, sensors, sensorsPerRead, localTime = false } = given;
  const seen: Seen[] = [];
  const improper: string[] = [];
  let underWay = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = time.now();
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://plant');
    const window = pathname === '/points' ? windowOf(searchParams) : undefined;
    await time.advance(TOOK);
    const say = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      seen.push({ at, status, window });
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    switch (plant.fault) {
      case 'reset':
        seen.push({ at, status: 0, window });
        return void request.socket.resetAndDestroy();
      case 'unavailable':
        return say(503, { error: 'down for maintenance' });
      case 'storm':
        return say(429, { error: 'too many requests' }, { 'retry-after': String(STORM_SECONDS) });
      case 'page':
        return say(200, '<html>sign in to the portal</html>', { 'content-type': 'text/html' });
      case undefined:
    }
    const known = `Basic ${Buffer.from(`bridge:${plant.password}`).toString('base64')}`;
    if (request.headers.authorization !== known) return say(401, { error: 'wrong password' });
    if (pathname === '/sensors') return say(200, { sensors: sensors.map(({ id }) => id) });
    const asked =
      searchParams
        .get('sensors')
        ?.split(',')
        .map((id) => sensors.find((one) => one.id === id)) ?? [];
    const isProper = window !== undefined && window.from < window.to && asked.length > 0 && !asked.includes(undefined);
    if (request.method !== 'GET' || !isProper) {
      improper.push(`${request.method} ${request.url}`);
      return say(400, { error: 'not a request of this API' });
    }
    const points = (asked as readonly TrueSensor[]).flatMap((sensor) =>
      [...shownOf(sensor, window, time.now())].map(([told, value]) => [
        sensor.id,
        told,
        sensor.isSwitch ? value === 1 : value,
      ]),
    );
    const { amid } = plant;
    plant.amid = undefined;
    await amid?.();
    say(200, { points });
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.on('error', () => undefined);
    response.setHeader('date', new Date(time.now() / MILLISECOND).toUTCString());
    underWay += 1;
    if (underWay > PACE.concurrency) improper.push(`${underWay} requests at a time`);
    answer(request, response)
      .catch(() => response.destroy())
      .finally(() => (underWay -= 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const platform = definePlatform<Record<string, never>>({
    name,
    title: 'Plant of a month',
    docs: 'https://plant.example',
    kinds: { 'user-credentials': basic() },
    options: z.strictObject({}),
    place: ['connection.url'],
    renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
    facts: {
      ...exactFacts,
      maxWindow: 7 * DAY,
      minWindow: SECOND,
      sensorsPerRead,
      namesVariables: false,
      ...(localTime && { localTime: true as const }),
      pace: PACE,
      lateness: MINUTE,
      overlap: OVERLAP,
    },
    identify: () => Promise.resolve({ product: 'a plant' }),
    async *sensors(http) {
      const { data } = await http.get('/sensors');
      for (const id of listed.parse(data).sensors) yield { id, variables: ['v'] };
    },
    async *read(http, _options, selection, { from, to }) {
      const { data } = await http.get('/points', { params: { sensors: selection.sensors?.join(','), from, to } });
      const read = answered.safeParse(data);
      if (!read.success) throw contractBroken('reading points: no points in the answer');
      for (const [sensor, points] of Map.groupBy(read.data.points, ([id]) => id)) {
        yield { sensor, variable: 'v', at: points.map(([, told]) => told), values: points.map(([, , value]) => value) };
      }
    },
  });

  const plant: MonthPlant = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    platform,
    sensors,
    seen,
    improper,
    fault: undefined,
    password: 'password-0',
    amid: undefined,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
  return plant;
}

/** Strict: exactly the parameters of the API, and whole numbers. */
function windowOf(query: URLSearchParams): Window | undefined {
  const names = [...query.keys()].toSorted().join();
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  return names === 'from,sensors,to' && Number.isSafeInteger(from) && Number.isSafeInteger(to)
    ? { from, to }
    : undefined;
}
