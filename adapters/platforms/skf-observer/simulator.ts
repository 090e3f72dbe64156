import { z } from 'zod';
import { askedWindow, windowBounds } from '../../../src/simulator/bounds.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type {
  SimulatedAnswer,
  SimulatedPlatform,
  SimulatedProduct,
  SimulatedRequest,
} from '../../../src/simulator/contract.ts';
import { writeJson } from '../../../src/simulator/distort.ts';
import { OpaqueTokens } from '../../../src/simulator/issued-tokens.ts';
import { newestRecord, truthRecords } from '../../../src/simulator/records.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { RequestRefusal, strictBody, strictFields, digits } from '../../../src/simulator/strict.ts';
import type { DeviceSpec, TruthSpec } from '../../../src/simulator/truth.ts';
import { machineOf, pointNode, rowOf, withKeys } from './simulator/document.ts';

const options = z.strictObject({
  accounts: z.array(z.strictObject({ username: z.string(), password: z.string() })),
  /** A device is a point: its id a whole number, its name `Machine/Point`. A key is `Channel name Direction`, or `Speed`. */
  truth: z
    .custom<TruthSpec>((truth) => typeof truth === 'object')
    .superRefine(({ devices }, context) => {
      for (const { id, name, keys } of devices) {
        if (!/^\d+$/.test(id) || !/^[^/]+\/[^/]+$/.test(name))
          context.addIssue(`${id} ${name}: not a point of a machine`);
        const odd = keys.find((key) => key.name !== 'Speed' && !/\S \S+$/.test(key.name));
        if (odd) context.addIssue(`${odd.name} is not a channel with its direction`);
      }
    }),
  /** `expires_in`. Clients renew after 18 to 19 minutes, so the product's is about this. */
  accessSeconds: z.int().min(1).default(1200),
  /** Lifetime of a refresh token, which is not known; 0: a login gives none. */
  refreshSeconds: z.int().min(0).default(86_400),
  /** The status of a refused login or renewal is not known. */
  refusedLogin: z.literal([400, 401]).default(400),
  /** Undocumented, so each of the four may be the product's. */
  bounds: windowBounds.default('[]'),
  /** The order of rows without `descending`, and the rows that `numReadings` keeps where it cuts, are not documented. */
  descending: z.boolean().default(true),
  keeps: z.enum(['first-in-order', 'newest']).default('first-in-order'),
  /** Rows of an answer at most, whatever `numReadings` says; 0 is no limit. Nothing in an answer tells that rows are missing. */
  mostReadings: z.int().min(0).default(0),
  /** Whether `ReadingTimeUTC` ends in `Z`. The time is UTC in any case. */
  marksUtc: z.boolean().default(false),
  /** `mixed`: machines and errors in camelCase, points and rows in PascalCase, as seen. */
  keys: z.enum(['mixed', 'camel', 'pascal']).default('mixed'),
});

const flag = z.literal(['true', 'false']).default('false');
const utc = z.iso.datetime({ message: 'must be an ISO time that ends in Z' }).transform((text) => Date.parse(text));

/** The Phoenix API of SKF @ptitude Observer, as far as the public clients of three authors show it. */
class SkfObserver implements SimulatedPlatform {
  readonly #options: z.output<typeof options>;
  readonly #clock: SimulatedClock;
  readonly #access: OpaqueTokens;
  readonly #refresh: OpaqueTokens;

  constructor(given: z.output<typeof options>, clock: SimulatedClock) {
    this.#options = given;
    this.#clock = clock;
    this.#access = new OpaqueTokens(clock);
    this.#refresh = new OpaqueTokens(clock);
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    try {
      const body = this.#route(request);
      if (body === undefined) return { status: 204, body: '' };
      // The names of a token answer are those of OAuth in every version.
      return { status: 200, body: writeJson(request.path === '/token' ? body : withKeys(body, this.#options.keys)) };
    } catch (cause) {
      if (!(cause instanceof RequestRefusal)) throw cause;
      const { status, message, reason } = cause;
      if (request.path !== '/token') return this.errorAnswer(status, message);
      return { status, body: JSON.stringify({ error: reason || 'invalid_request', error_description: message }) };
    }
  }

  errorAnswer(status: number, message = `Error ${status}`): SimulatedAnswer {
    return { status, body: JSON.stringify(withKeys({ message }, this.#options.keys)) };
  }

  invalidateTokens(tokens: 'all' | 'access'): void {
    this.#access.revokeAll();
    if (tokens === 'all') this.#refresh.revokeAll();
  }

  state(): { openTokens: number } {
    return { openTokens: this.#access.open() };
  }

  #route(request: SimulatedRequest): unknown {
    const { method, path, headers, query } = request;
    const [, machine] = /^\/v1\/machines\/(\d+)\/points$/.exec(path) ?? [];
    const [, point] = /^\/v1\/points\/(\d+)\/trendMeasurements$/.exec(path) ?? [];
    const isKnown =
      machine !== undefined || point !== undefined || ['/token', '/v1/machines', '/v1/hierarchy'].includes(path);
    if (!isKnown) throw new RequestRefusal(404, `no ${path}`);
    if (method !== (path === '/token' ? 'POST' : 'GET')) throw new RequestRefusal(405, `no ${method} ${path}`);
    if (path === '/token') return this.#grant(request);
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (this.#access.ownerOf(token) === undefined) throw new RequestRefusal(401, 'Authorization has been denied');
    if (point !== undefined) return this.#trend(point, request);
    if (machine !== undefined) return this.#points(Number(machine), query);
    if (path === '/v1/hierarchy') return this.#hierarchy(query);
    strictFields(query, {});
    return this.#machines();
  }

  /** The form of a password grant or of a renewal, which ends the refresh token and gives a new one. */
  #grant(request: SimulatedRequest): unknown {
    strictFields(request.query, {});
    const body = strictBody(request);
    if (!(body instanceof URLSearchParams)) throw new RequestRefusal(400, 'the body must be a form');
    const { accounts, accessSeconds, refreshSeconds, refusedLogin } = this.#options;
    let owner: string | undefined;
    if (body.get('grant_type') === 'refresh_token') {
      const fields = strictFields(body, { grant_type: z.string(), refresh_token: z.string() });
      owner = this.#refresh.ownerOf(fields.refresh_token);
      this.#refresh.revoke(fields.refresh_token);
    } else if (body.get('grant_type') === 'password') {
      const fields = strictFields(body, { grant_type: z.string(), username: z.string(), password: z.string() });
      const { username, password } = fields;
      owner = accounts.find((one) => one.username === username && one.password === password)?.username;
    } else throw new RequestRefusal(400, 'grant_type must be password or refresh_token', 'unsupported_grant_type');
    if (owner === undefined)
      throw new RequestRefusal(refusedLogin, 'The user name or password is incorrect', 'invalid_grant');
    const renewal = refreshSeconds > 0 ? { refresh_token: this.#refresh.issue(owner, refreshSeconds) } : {};
    const token = this.#access.issue(owner, accessSeconds);
    return { access_token: token, token_type: 'bearer', expires_in: accessSeconds, ...renewal };
  }

  #machines(): { id: number; name: string; path: string }[] {
    const names = [...new Set(this.#options.truth.devices.map(machineOf))];
    return names.map((name, index) => ({ id: 1001 + index, name, path: `Company\\Plant\\${name}` }));
  }

  #pointsOf(machine: { readonly name: string }): DeviceSpec[] {
    return this.#options.truth.devices.filter((device) => machineOf(device) === machine.name);
  }

  #points(machineId: number, query: URLSearchParams): unknown {
    const { IncludeLastMeasurement: asked } = strictFields(query, { IncludeLastMeasurement: flag });
    const machine = this.#machines().find(({ id }) => id === machineId);
    if (machine === undefined) throw new RequestRefusal(404, `no machine ${machineId}`);
    return this.#pointsOf(machine).map((device) => {
      const LastMeasurement = asked === 'true' ? this.#last(device) : undefined;
      return { ...pointNode(device, machineId), ...(LastMeasurement && { LastMeasurement }) };
    });
  }

  /** A year of 1900 stands for "never". */
  #last(device: DeviceSpec): object {
    const { truth, marksUtc } = this.#options;
    const newest = newestRecord(truth, device, this.#clock.nowMs());
    return newest
      ? rowOf(device, newest, marksUtc)
      : { ReadingTimeUTC: '1900-01-01T00:00:00', PointID: Number(device.id) };
  }

  #hierarchy(query: URLSearchParams): unknown {
    const { includePoints } = strictFields(query, { includePoints: flag });
    const node = (id: number, name: string, typeName: string, children: unknown[]) => ({
      id,
      name,
      typeName,
      active: true,
      status: 0,
      children,
    });
    const points = (machine: { id: number; name: string }): unknown[] =>
      this.#pointsOf(machine).map(({ id, name }) => node(Number(id), name.split('/')[1] ?? '', 'Point', []));
    const machines = this.#machines().map((machine) =>
      node(machine.id, machine.name, 'Machine', includePoints === 'true' ? points(machine) : []),
    );
    return [node(1, 'Company', 'Company', [node(2, 'Plant', 'Plant', machines)])];
  }

  /** Undefined for no rows, which the product answers with 204. */
  #trend(pointId: string, { query, pointEffects: effects, badSensors }: SimulatedRequest): unknown[] | undefined {
    const { truth, bounds, keeps, mostReadings, marksUtc, descending } = this.#options;
    const asked = strictFields(query, {
      fromDateUTC: utc,
      toDateUTC: utc,
      numReadings: digits(1).default(Infinity),
      descending: z.literal(['true', 'false']).default(descending ? 'true' : 'false'),
      includeAlarmInfo: z.literal('false').optional(),
    });
    const device = truth.devices.find(({ id }) => id === pointId);
    const bad = badSensors.find((one) => one.device === pointId);
    if (device === undefined || bad?.as === 'missing') throw new RequestRefusal(404, `no point ${pointId}`);
    if (bad) throw new RequestRefusal(bad.as === 'forbidden' ? 403 : 500, `point ${pointId} is ${bad.as}`);
    if (asked.toDateUTC < asked.fromDateUTC) throw new RequestRefusal(400, 'toDateUTC lies before fromDateUTC');
    const order = asked.descending === 'true' ? 'DESC' : 'ASC';
    const window = askedWindow(bounds, asked.fromDateUTC, asked.toDateUTC);
    const rows = truthRecords(truth, device, window, { nowMs: this.#clock.nowMs(), order, effects });
    const most = Math.min(asked.numReadings, mostReadings || Infinity);
    const kept = keeps === 'newest' && order === 'ASC' ? rows.slice(-most) : rows.slice(0, most);
    return kept.length === 0 ? undefined : kept.map((row) => rowOf(device, row, marksUtc));
  }
}

export const simulatedSkfObserver: SimulatedProduct = {
  platform: 'skf-observer',
  title: 'SKF Observer',
  open: (given, clock) => new SkfObserver(options.parse(given), clock),
  sourceOptions: {},
  deviceOf: (index) => ({ id: `${index + 1}`, name: `Machine ${Math.floor(index / 10)}/Point ${index}` }),
  keyNames: ['Speed'],
  holds: ['null', 'NaN'],
  seriesOf: ({ id }, key) => ({ group: '', sensorId: id, valueName: key.name }),
};

if (import.meta.main) await runSimulator(simulatedSkfObserver);
