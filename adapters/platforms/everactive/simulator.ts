import { z } from 'zod';
import { askedWindow, windowBounds } from '../../../src/simulator/bounds.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type {
  SimulatedAnswer,
  SimulatedPlatform,
  SimulatedProduct,
  SimulatedRequest,
} from '../../../src/simulator/contract.ts';
import { isDistorted, writeJson } from '../../../src/simulator/distort.ts';
import { OpaqueTokens } from '../../../src/simulator/issued-tokens.ts';
import { newestRecord, truthRecords } from '../../../src/simulator/records.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { RequestRefusal, strictBody, strictFields, digits } from '../../../src/simulator/strict.ts';
import type { DeviceSpec, TruthSpec } from '../../../src/simulator/truth.ts';
import { isVibration, placeInReading, readingOf } from './simulator/document.ts';

const options = z.strictObject({
  /** Client id and client secret. */
  accounts: z.array(z.strictObject({ username: z.string(), password: z.string() })),
  /** The id of a device is a MAC address of eight bytes; its keys are those of `placeInReading`, with points on whole seconds. */
  truth: z
    .custom<TruthSpec>((truth) => typeof truth === 'object')
    .superRefine(({ devices }, context) => {
      for (const { id, keys } of devices) {
        if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){7}$/.test(id))
          context.addIssue(`${id} is not the MAC address of an Eversensor`);
        for (const { name, everyMs, edges, burst } of keys) {
          placeInReading(name);
          const steps = [everyMs, burst?.everyMs ?? 0, burst?.offsetMs ?? 0, burst?.stepMs ?? 0];
          if (edges || steps.some((ms) => ms % 1000 !== 0)) context.addIssue(`${name} has points between two seconds`);
        }
      }
    }),
  /** `expires_in`; 86,400 was recorded. There is no refresh token. */
  tokenSeconds: z.int().min(1).default(86_400),
  /** Undocumented, so each of the four may be the product's. */
  bounds: windowBounds.default('[]'),
  /** 50 was recorded without `page-size`; the largest that is seen in use is 500, and a larger one is refused here. */
  pageSize: z.int().min(1).default(50),
  largestPageSize: z.int().min(1).default(500),
  /** Sensors without `sort-by`: as the truth lists them, or on every second page the other way round: nothing forbids it. */
  unsorted: z.enum(['listed', 'changing']).default('listed'),
  /** About one reading in this many came through two gateways and stands twice in an answer; 0 is none. */
  secondGatewayEvery: z.int().min(0).default(0),
  /** The form of an error, except that of a login, is not known. */
  errors: z.enum(['json', 'text', 'empty']).default('json'),
});

const loginFields = {
  grant_type: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  scope: z.literal(['user', 'developer', 'user developer']).optional(),
};
const longestSeconds = 86_400;

/** The Data Services API of Everactive, as far as its pages and the vendor's clients show it. */
class Everactive implements SimulatedPlatform {
  readonly #options: z.output<typeof options>;
  readonly #clock: SimulatedClock;
  readonly #tokens: OpaqueTokens;

  constructor(given: z.output<typeof options>, clock: SimulatedClock) {
    this.#options = given;
    this.#clock = clock;
    this.#tokens = new OpaqueTokens(clock);
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    try {
      return { status: 200, body: writeJson(this.#route(request)) };
    } catch (cause) {
      if (!(cause instanceof RequestRefusal)) throw cause;
      const { status, message, reason } = cause;
      if (request.path !== '/auth/token') return this.errorAnswer(status, message);
      return { status, body: JSON.stringify({ error: reason || 'invalid_request', error_description: message }) };
    }
  }

  errorAnswer(status: number, message = `Error ${status}`): SimulatedAnswer {
    const body = { json: JSON.stringify({ message }), text: message, empty: '' }[this.#options.errors];
    return { status, body, headers: this.#options.errors === 'json' ? {} : { 'content-type': 'text/plain' } };
  }

  invalidateTokens(): void {
    this.#tokens.revokeAll();
  }

  state(): { openTokens: number } {
    return { openTokens: this.#tokens.open() };
  }

  #route(request: SimulatedRequest): unknown {
    const { method, path, headers, query } = request;
    const [, mac, last] = /^\/ds\/v1\/eversensors\/([^/]+)\/readings(\/last)?$/.exec(path) ?? [];
    const isKnown = mac !== undefined || ['/auth/token', '/ds/v1/eversensors', '/ds/v1/health'].includes(path);
    if (!isKnown) throw new RequestRefusal(404, `no ${path}`);
    if (method !== (path === '/auth/token' ? 'POST' : 'GET')) throw new RequestRefusal(405, `no ${method} ${path}`);
    if (path === '/auth/token') return this.#logIn(request);
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (this.#tokens.ownerOf(token) === undefined) throw new RequestRefusal(401, 'no valid bearer token');
    if (path === '/ds/v1/eversensors') return this.#sensors(query);
    const device = mac === undefined ? undefined : this.#sensor(mac, request);
    if (device && last === undefined) return { data: this.#readings(device, request) };
    strictFields(query, {});
    if (device === undefined) return { ok: true, version: 'simulated' };
    const data = this.#newest(device);
    // The product's answer for a sensor without readings is not known.
    if (data === undefined) throw new RequestRefusal(404, `${device.id} has no reading`);
    return { data };
  }

  /** Client credentials in the body, as form or JSON; as Basic they are refused, because no client of the vendor does so. */
  #logIn(request: SimulatedRequest): unknown {
    strictFields(request.query, {});
    if (request.headers.authorization !== undefined) throw new RequestRefusal(400, 'credentials belong in the body');
    const { grant_type: grant, client_id: id, client_secret: secret } = strictFields(strictBody(request), loginFields);
    if (grant !== 'client_credentials') throw new RequestRefusal(400, grant, 'unsupported_grant_type');
    const { accounts, tokenSeconds } = this.#options;
    const isRight = accounts.some(({ username, password }) => username === id && password === secret);
    if (!isRight) throw new RequestRefusal(401, 'client authentication failed', 'invalid_client');
    return { access_token: this.#tokens.issue(id, tokenSeconds), expires_in: tokenSeconds, token_type: 'Bearer' };
  }

  #sensor(mac: string, { badSensors }: SimulatedRequest): DeviceSpec {
    const device = this.#options.truth.devices.find(({ id }) => id === decodeURIComponent(mac));
    const bad = badSensors.find((one) => one.device === device?.id);
    if (device === undefined || bad?.as === 'missing') throw new RequestRefusal(404, `no sensor ${mac}`);
    if (bad) throw new RequestRefusal(bad.as === 'forbidden' ? 403 : 500, `${mac} is ${bad.as}`);
    return device;
  }

  /** Newest first. A reading of a second gateway stands directly behind that of the first. */
  #readings(device: DeviceSpec, { query, pointEffects: effects }: SimulatedRequest): unknown[] {
    const { truth, bounds, secondGatewayEvery: every } = this.#options;
    const { 'start-time': start, 'end-time': end } = strictFields(query, {
      'start-time': digits(),
      'end-time': digits(),
    });
    if (end < start || end - start > longestSeconds) throw new RequestRefusal(400, 'a window has 0 to 86,400 seconds');
    const asked = askedWindow(bounds, start * 1000, end * 1000);
    const records = truthRecords(truth, device, asked, { nowMs: this.#clock.nowMs(), order: 'DESC', effects });
    return records.flatMap((record) => {
      const gateways = every > 0 && isDistorted(record.ts, every) ? ['GW1', 'GW2'] : ['GW1'];
      return gateways.map((gateway) => readingOf(device, record, gateway));
    });
  }

  #newest(device: DeviceSpec): unknown {
    const newest = newestRecord(this.#options.truth, device, this.#clock.nowMs());
    return newest && readingOf(device, newest, 'GW1');
  }

  #sensors(query: URLSearchParams): unknown {
    const { truth, pageSize: size, largestPageSize: most, unsorted } = this.#options;
    const asked = strictFields(query, {
      page: digits(1).default(1),
      'page-size': digits(1, most).default(size),
      'sort-by': z.literal('mac-address').optional(),
      'sort-dir': z.literal(['asc', 'desc']).default('asc'),
      'mac-address': z.string().toLowerCase().default(''),
    });
    const { page, 'page-size': pageSize, 'sort-by': sorted, 'sort-dir': direction } = asked;
    const found = truth.devices.filter(({ id }) => id.includes(asked['mac-address']));
    if (sorted !== undefined) found.sort((one, other) => (one.id < other.id ? -1 : 1));
    const isBackwards = sorted === undefined ? unsorted === 'changing' && page % 2 === 0 : direction === 'desc';
    if (isBackwards) found.reverse();
    const data = found.slice((page - 1) * pageSize, page * pageSize).map((device) => this.#sensorInfo(device));
    const totalPages = Math.ceil(found.length / pageSize);
    return { data, paginationInfo: { page, pageSize, totalItems: found.length, totalPages } };
  }

  #sensorInfo(device: DeviceSpec): unknown {
    const at = { gatewaySerialNumber: 'GW1', timestamp: new Date(this.#options.truth.firstMs).toISOString() };
    return {
      customer: { id: 'customer-1', isSandbox: false, name: 'Plant', status: 'Production' },
      devkitBundled: false,
      lastAssociation: at,
      lastInfo: { firmwareVersion: '1', partNumber: '1', sensorSerialNumber: device.name, ...at },
      lastReading: this.#newest(device),
      macAddress: device.id,
      type: isVibration(device) ? 'Vibration' : 'Environmental',
    };
  }
}

const macOf = (index: number): string =>
  index
    .toString(16)
    .padStart(16, '0')
    .replaceAll(/(..)(?=.)/g, '$1:');

export const simulatedEveractive: SimulatedProduct = {
  platform: 'everactive',
  title: 'Everactive',
  open: (given, clock) => new Everactive(options.parse(given), clock),
  sourceOptions: {},
  deviceOf: (index) => ({ id: macOf(index), name: `sensor-${index}` }),
  keyNames: ['pressure'],
  holds: ['null', 'NaN'],
  seriesOf: ({ id }, key) => ({ group: '', sensorId: id, valueName: key.name }),
};

if (import.meta.main) await runSimulator(simulatedEveractive);
