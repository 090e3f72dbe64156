import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { BridgeError, contractBroken } from '../../../src/core/errors.ts';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { basic } from '../../../src/platform/authorisation/basic.ts';
import { loginToken } from '../../../src/platform/authorisation/login-token.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import type { Platform } from '../../../src/platform/contract.ts';
import { exactFacts } from '../../kit/facts.ts';
import { chance, instants, revisedAt, showsAt } from './points.ts';
import type { Point } from './points.ts';
import type { ModelTime } from './time.ts';

/** `one-fails`: one sensor of the answer, and the others are answered. */
export type FaultKind = 'status' | 'retry-after' | 'reset' | 'time-out' | 'broken-page' | 'no-sensors' | 'one-fails';

/** A fault of the plant, until it ends. `sensor`: only reads of this sensor meet it. */
export interface PlantFault {
  readonly kind: FaultKind;
  readonly until: Instant;
  readonly sensor?: string | undefined;
  /** Only windows that touch this stretch meet it. */
  readonly window?: Window | undefined;
  /** Only windows longer than this meet it. */
  readonly longerThan?: Microseconds | undefined;
  /** For `retry-after`: the header, or none. */
  readonly header?: string | undefined;
}

/** A read that the platform answered to its end. */
export interface Answer {
  /** The configuration that asked. */
  readonly note: number;
  readonly window: Window;
  /** The sensors that were read to the end; one that failed alone may have points all the same. */
  readonly sensors: readonly string[];
  /** When the read began, as its worker saw it. No other read began then. */
  readonly begun: Instant;
  readonly points: ReadonlyMap<string, readonly Point[]>;
}

/** The plant of a history: a scriptable platform behind real HTTP, and the record of all it was asked. */
export interface Plant {
  readonly url: string;
  readonly platform: Platform;
  /** Sensors by name with the instant of their first point. */
  readonly sensors: Map<string, Instant>;
  /** Sensors that the list of the plant leaves out; it answers for them all the same. */
  readonly hidden: Set<string>;
  /** Sensors that have no point from this instant on. */
  readonly ended: Map<string, Instant>;
  readonly faults: PlantFault[];
  /** Stretches whose points show no earlier than `until`, because the gateway kept them. */
  readonly cuts: { readonly window: Window; readonly until: Instant }[];
  readonly answers: Answer[];
  /** Every request, also refused ones. */
  readonly requests: { readonly at: Instant; readonly status: number; readonly sensor: string | undefined }[];
  /** The plant asked for silence until then; undefined where it did not, or an operator lifted it. */
  silentUntil: Instant | undefined;
  /** How often it asked for silence while there was none. */
  silences: number;
  /** Requests that came in a silence. A few may have been under way when it began. */
  disturbances: number;
  password: string;
  /** Happens once, before the last page of an answer leaves: of the first one after `answers` others. */
  amid: { answers: number; readonly deed: () => Promise<void> } | undefined;
  /** Tokens that were granted before are refused. */
  endTokens(): void;
  /** All points of a sensor, also those that do not show yet, with their last values. */
  truth(sensor: string, window: Window): Point[];
  close(): Promise<void>;
}

/** A page of an answer, or the word that the plant would not answer in time. */
interface PlantPage {
  readonly points?: [sensor: string, at: number, value: number][];
  readonly failed?: string[];
  readonly more?: boolean;
  readonly timeOut?: boolean;
}

const options = z.strictObject({ note: z.number().describe('Names the configuration that asks') });

/** `platform`: its name. `refused`: called with each password that is refused. */
export async function openPlant(
  time: ModelTime,
  {
    platform: platformName,
    seed,
    dense = false,
    sensorsPerRead = 1,
    refused,
  }: {
    readonly platform: string;
    readonly seed: number;
    readonly dense?: boolean;
    readonly sensorsPerRead?: number;
    readonly refused: (password: string) => void;
  },
): Promise<Plant> {
  const pageSize = dense ? 1_000 : 200;
  const sensors = new Map<string, Instant>();
  const hidden = new Set<string>();
  const ended = new Map<string, Instant>();
  const faults: PlantFault[] = [];
  const cuts: Plant['cuts'] = [];
  const answers: Answer[] = [];
  const requests: Plant['requests'] = [];
  let tokens = new Set<string>();

  const truth = (sensor: string, window: Window): Point[] => {
    const from = Math.max(window.from, sensors.get(sensor) ?? Infinity);
    const to = Math.min(window.to, ended.get(sensor) ?? Infinity);
    return [...new Set(instants(seed, sensor, { from, to }, dense))]
      .toSorted((one, other) => one - other)
      .map((at) => ({ at, value: valueOf(sensor, at, revisedAt(seed, sensor, at) !== undefined) }));
  };
  const valueOf = (sensor: string, at: Instant, revised: boolean): number =>
    Math.floor(chance(seed, 'value', sensor, at) * 1_000) + (revised ? 0.5 : 0);
  const shown = (sensor: string, window: Window): Point[] =>
    truth(sensor, window)
      .filter(({ at }) => showsAt(seed, sensor, at) <= time.now() && at <= time.now() && !isKept(at))
      .map(({ at }) => ({ at, value: valueOf(sensor, at, (revisedAt(seed, sensor, at) ?? Infinity) <= time.now()) }));

  const isKept = (at: Instant): boolean =>
    cuts.some(({ window, until }) => time.now() < until && window.from <= at && at < window.to);

  const faultsFor = (asked: readonly string[], window: Window | undefined): PlantFault[] =>
    faults.filter(
      (fault) =>
        fault.until > time.now() &&
        (fault.kind === 'no-sensors' ? window === undefined : true) &&
        (fault.sensor === undefined || asked.includes(fault.sensor)) &&
        (fault.window === undefined ||
          (window !== undefined && window.from < fault.window.to && fault.window.from < window.to)) &&
        (fault.longerThan === undefined || (window !== undefined && window.to - window.from > fault.longerThan)),
    );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://plant');
    const query = url.searchParams;
    const asked = query.get('sensors')?.split(',') ?? [];
    const window = query.has('from') ? { from: Number(query.get('from')), to: Number(query.get('to')) } : undefined;
    await time.advance(20 * MILLISECOND);
    if (time.now() < (plant.silentUntil ?? 0)) plant.disturbances += 1;
    const say = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      requests.push({ at: time.now(), status, sensor: asked[0] });
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    const refuse = (): void => {
      refused(Buffer.from(header.slice('Basic '.length), 'base64').toString().slice('bridge:'.length));
      say(401, { error: 'wrong password' });
    };
    const header = request.headers.authorization ?? '';
    const known = Buffer.from(`bridge:${plant.password}`).toString('base64');
    if (url.pathname === '/login') {
      if (header !== `Basic ${known}`) return refuse();
      const token = `token-${seed}-${tokens.size}-${time.now()}`;
      tokens.add(token);
      return say(200, { token });
    }
    if (header.startsWith('Bearer ') && !tokens.has(header.slice(7))) return say(401, { error: 'old token' });
    if (!header.startsWith('Bearer ') && header !== `Basic ${known}`) return refuse();
    const met = faultsFor(asked, window);
    const fault = met.find(({ kind }) => kind !== 'one-fails');
    switch (fault?.kind) {
      case 'status':
      case 'no-sensors':
        return say(500, { error: 'it is broken' });
      case 'retry-after':
        if (fault.header === '7') {
          if (time.now() >= (plant.silentUntil ?? 0)) plant.silences += 1;
          plant.silentUntil = time.now() + 7 * SECOND;
        }
        return say(429, { error: 'too many' }, fault.header === undefined ? {} : { 'retry-after': fault.header });
      case 'reset':
        requests.push({ at: time.now(), status: 0, sensor: asked[0] });
        return void request.socket.resetAndDestroy();
      case 'time-out':
        return say(200, { timeOut: true });
      case 'broken-page':
        return say(200, { error: 'an error inside a 200' });
      case 'one-fails':
      case undefined:
    }
    if (window === undefined) return say(200, { sensors: [...sensors.keys()].filter((sensor) => !hidden.has(sensor)) });
    const failed = met.map(({ sensor }) => sensor ?? asked[0]);
    const answered = asked.filter((sensor) => !failed.includes(sensor));
    const points = answered.flatMap((sensor) => shown(sensor, window).map(({ at, value }) => [sensor, at, value]));
    const begin = Number(query.get('page')) * pageSize;
    const more = points.length > begin + pageSize;
    if (!more) await happenAmid();
    say(200, { points: points.slice(begin, begin + pageSize), failed, more });
  }

  async function happenAmid(): Promise<void> {
    const { amid } = plant;
    if (amid === undefined) return;
    amid.answers -= 1;
    if (amid.answers >= 0) return;
    plant.amid = undefined;
    await amid.deed();
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.on('error', () => undefined);
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const platform = definePlatform<z.output<typeof options>>({
    name: platformName,
    title: 'Scripted plant',
    docs: 'https://plant.example',
    kinds: {
      'user-credentials': basic(),
      'separate-auth-server': loginToken({
        async login(http, { clientId, clientSecret }) {
          const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
          const { data } = await http.get<{ token: string }>('/login', { headers: { authorization } });
          return { token: data.token, expiresAt: undefined };
        },
        header: (token) => ({ authorization: `Bearer ${token}` }),
      }),
    },
    options,
    place: ['connection.url'],
    renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
    facts: {
      ...exactFacts,
      maxWindow: HOUR,
      minWindow: SECOND,
      sensorsPerRead,
      namesVariables: false,
      pace: { requestsPerSecond: 10, burst: 10, concurrency: 1 },
      lateness: 2 * SECOND,
      overlap: MINUTE,
    },
    identify: () => Promise.resolve({ product: 'a plant' }),
    async *sensors(http) {
      const { data } = await http.get<{ sensors?: string[] }>('/sensors');
      for (const id of data.sensors ?? []) yield { id, variables: ['v'] };
    },
    async *read(http, { note }, selection, window) {
      const begun = time.readLast();
      const read = new Map<string, Point[]>((selection.sensors ?? []).map((sensor) => [sensor, []]));
      const failures = new Set<string>();
      for (let page = 0, more = true; more; page += 1) {
        const params = { sensors: [...read.keys()].join(','), from: window.from, to: window.to, page };
        const { data } = await http.get<PlantPage>('/data', { params });
        if (data.timeOut) {
          await time.advance(60 * SECOND);
          throw new BridgeError({ code: 'unavailable', why: 'time-out' }, 'no answer in 60 s');
        }
        if (data.points === undefined) throw contractBroken('reading a page: no points in it');
        for (const [sensor, at, value] of data.points) read.get(sensor)?.push({ at, value });
        more = data.more === true;
        for (const sensor of data.failed ?? []) {
          failures.add(sensor);
          yield { sensor, failed: contractBroken('this sensor fails') };
        }
        for (const [sensor, points] of Map.groupBy(data.points, ([name]) => name)) {
          yield { sensor, variable: 'v', at: points.map(([, at]) => at), values: points.map(([, , value]) => value) };
        }
      }
      answers.push({ note, window, sensors: [...read.keys()].filter((id) => !failures.has(id)), begun, points: read });
    },
  });

  const plant: Plant = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    platform,
    sensors,
    hidden,
    ended,
    faults,
    cuts,
    answers,
    requests,
    silentUntil: undefined,
    silences: 0,
    disturbances: 0,
    password: 'password-0',
    amid: undefined,
    endTokens: () => {
      tokens = new Set();
    },
    truth,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
  return plant;
}
