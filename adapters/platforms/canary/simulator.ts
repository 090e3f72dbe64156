import { z } from 'zod';
import { askedWindow, windowBounds, type AskedWindow } from '../../../src/simulator/bounds.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type {
  SimulatedAnswer,
  SimulatedPlatform,
  SimulatedProduct,
  SimulatedRequest,
} from '../../../src/simulator/contract.ts';
import { distort, writeJson } from '../../../src/simulator/distort.ts';
import { isoOf } from '../../../src/simulator/instants.ts';
import { OpaqueTokens } from '../../../src/simulator/issued-tokens.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { RequestRefusal, strictBody, strictFields } from '../../../src/simulator/strict.ts';
import { visiblePoints, type TruthPoint, type TruthSpec } from '../../../src/simulator/truth.ts';
import { nthOf, positionsOf, stampOf, type Position } from './simulator/continuation.ts';
import { childrenOf, tagsBelow, tagsOfTruth, type Tag } from './simulator/tags.ts';

const size = z.int().min(1);

const options = z.strictObject({
  accounts: z.array(z.strictObject({ username: z.string(), password: z.string() })),
  /** The id of a device is a path such as `Plant.Hall 1.Press`; a tag is that path, a dot and the name of a key. */
  truth: z
    .custom<TruthSpec>((truth) => typeof truth === 'object')
    .refine(
      ({ devices }) => devices.every(({ keys }) => keys.every(({ name }) => !name.includes('.'))),
      'no dot in a key',
    ),
  /** A token ends after so long without a request. */
  idleSeconds: size.default(300),
  /** Open tokens at a time, each of which holds a licence. The answer without a free one is not known. */
  licences: size.default(5),
  noLicence: z.enum(['Errors', 'BadLicense']).default('Errors'),
  /** False: the service is not licensed for third parties. */
  licensed: z.boolean().default(true),
  refusedLogin: z.enum(['Errors', 'BadUserToken']).default('Errors'),
  /** Tokens of an Identity service (v24 and later), which come as `apiToken` or `accessToken` and never end here. */
  apiTokens: z.array(z.string()).default([]),
  /** Undocumented, so each of the four may be the product's. */
  bounds: windowBounds.default('[]'),
  /** An administrator's limit on `maxSize`; a larger one is lowered to it in silence. */
  largestSize: size.default(10_000),
  /** What is said of an unknown tag: nothing of the request is answered, the others are, or it has one point without data. */
  unknownTag: z.enum(['refused', 'skipped', 'no-data']).default('refused'),
  /** A tag without points on a page, because all were read or there are none. */
  emptyTag: z.enum(['empty', 'absent']).default('empty'),
  /** What a point of bad quality holds is not documented. */
  badValue: z.enum(['kept', 'null']).default('kept'),
});

const iso = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?(Z|[+-]\d\d:\d\d)$/, 'must be an ISO time with its offset');
const dataFields = {
  tags: z.array(z.string()).min(1),
  startTime: iso.optional(),
  endTime: iso.optional(),
  includeQuality: z.boolean().default(false),
  includeBounds: z.literal(false).optional(),
  maxSize: size.default(10_000),
  continuation: z.array(z.string()).min(1).nullable().default(null),
};
const browseFields = {
  path: z.string().default(''),
  deep: z.boolean().default(false),
  search: z.string().default(''),
  maxSize: size.default(10_000),
  continuation: z.string().nullable().default(null),
};

/** OPC: good, uncertain, a value put in by hand, bad, the combination of the two highest bits that is reserved. */
const qualities = { good: 192, uncertain: 64, substituted: 216, bad: 0, unknown: 128 } as const;
const noData = 32_768;

/** Milliseconds with their fraction, because `Date.parse` cuts behind the third digit. */
const millisOf = (text: string): number =>
  Date.parse(text.replace(/\.\d+/, '')) + Number(/\.\d+/.exec(text)?.[0] ?? 0) * 1000;

/** The Read API of Canary Views, paths of version 2, as far as the vendor's help page and sample scripts show it. */
class Canary implements SimulatedPlatform {
  readonly #options: z.output<typeof options>;
  readonly #clock: SimulatedClock;
  readonly #tokens: OpaqueTokens;
  readonly #tags: readonly Tag[];

  constructor(given: z.output<typeof options>, clock: SimulatedClock) {
    this.#options = given;
    this.#clock = clock;
    this.#tokens = new OpaqueTokens(clock);
    this.#tags = tagsOfTruth(given.truth);
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    try {
      return { status: 200, body: writeJson({ statusCode: 'Good', errors: [], ...this.#route(request) }) };
    } catch (cause) {
      if (!(cause instanceof RequestRefusal)) throw cause;
      const { status, message, reason } = cause;
      // A logical error has HTTP status 200; only a path and a method that do not exist have one of their own.
      if (status === 404 || status === 405) return { status, body: JSON.stringify({ Message: message }) };
      return { status: 200, body: JSON.stringify({ statusCode: reason || 'Errors', errors: [message] }) };
    }
  }

  errorAnswer(status: number): SimulatedAnswer {
    return { status, body: JSON.stringify({ Message: `Error ${status}` }) };
  }

  invalidateTokens(): void {
    this.#tokens.revokeAll();
  }

  /** Tokens are sessions of the process. */
  restart(): void {
    this.#tokens.revokeAll();
  }

  state(): { openTokens: number } {
    return { openTokens: this.#tokens.open() };
  }

  #route(request: SimulatedRequest): object {
    const call = /^\/api\/v2\/(\w+)$/.exec(request.path)?.[1] ?? '';
    const calls: Readonly<Record<string, (fields: Record<string, unknown>) => object>> = {
      browseNodes: (fields) => ({
        nodes: childrenOf(this.#tags, strictFields(fields, { path: browseFields.path }).path),
      }),
      browseTags: (fields) => this.#browseTags(fields),
      getTagProperties: (fields) => this.#properties(fields),
      getTagData: (fields) => this.#data(fields, 'arrays', request),
      getTagData2: (fields) => this.#data(fields, 'objects', request),
    };
    const known = calls[call];
    const isOpen = ['getTimeZones', 'getUserToken', 'revokeUserToken'].includes(call);
    if (known === undefined && !isOpen) throw new RequestRefusal(404, `no ${request.path}`);
    if (request.method !== 'POST') throw new RequestRefusal(405, `no ${request.method} ${request.path}`);
    strictFields(request.query, {});
    const body = Object(strictBody(request)) as Record<string, unknown>;
    if (call === 'getTimeZones')
      return strictFields(body, {}) && { timeZones: ['UTC', 'Central European Standard Time'] };
    if (call === 'getUserToken') return this.#logIn(body);
    const { userToken, apiToken, accessToken, ...fields } = body;
    const isApi = userToken === undefined && this.#options.apiTokens.includes(String(apiToken ?? accessToken));
    if (!isApi) this.#use(String(userToken));
    if (call !== 'revokeUserToken') return known?.(fields) ?? {};
    strictFields(fields, {});
    this.#tokens.revoke(String(userToken));
    return {};
  }

  #logIn(body: object): object {
    const { accounts, licences, licensed, noLicence, refusedLogin, idleSeconds } = this.#options;
    const fields = { username: z.string(), password: z.string(), application: z.string().min(1) };
    const { username, password } = strictFields(body, fields);
    const isKnown = accounts.some((one) => one.username === username && one.password === password);
    if (!isKnown) throw new RequestRefusal(401, 'The user name or password is incorrect', refusedLogin);
    if (!licensed) throw new RequestRefusal(403, 'The views service is not licensed for third party use', 'BadLicense');
    if (this.#tokens.open() >= licences) throw new RequestRefusal(403, 'No licence is free', noLicence);
    return { userToken: this.#tokens.issue(username, idleSeconds) };
  }

  /** Every use puts the end of a token off. */
  #use(token: string): void {
    const isOpen = this.#tokens.ownerOf(token) !== undefined;
    if (!isOpen) throw new RequestRefusal(401, 'No user token was created or it has expired', 'BadUserToken');
    this.#tokens.extend(token, this.#options.idleSeconds);
  }

  #browseTags(given: object): object {
    const { path, deep, search, maxSize, continuation } = strictFields(given, browseFields);
    const found = tagsBelow(this.#tags, path, { deep, search });
    const stamp = stampOf(path, deep, search);
    const [was, from = '0'] = continuation?.split('-') ?? [stamp];
    if (was !== stamp) throw new RequestRefusal(400, 'continuation is of another request');
    const next = Number(from) + maxSize;
    return { tags: found.slice(Number(from), next), continuation: next < found.length ? `${stamp}-${next}` : null };
  }

  #properties(given: object): object {
    const { tags } = strictFields(given, { tags: dataFields.tags });
    const unknown = tags.filter((tag) => !this.#tags.some(({ name }) => name === tag));
    if (unknown.length > 0) throw new RequestRefusal(400, `Tag not found: ${unknown.join(', ')}`);
    return { properties: Object.fromEntries(tags.map((tag) => [tag, { Description: tag }])) };
  }

  /** `maxSize` is the number of points of an answer for arrays, and of each tag for objects. */
  #data(given: object, form: 'arrays' | 'objects', request: SimulatedRequest): object {
    const { largestSize, unknownTag, emptyTag } = this.#options;
    const asked = strictFields(given, dataFields);
    const { tags, startTime, endTime, maxSize, includeQuality } = asked;
    if (startTime === undefined || endTime === undefined)
      throw new RequestRefusal(400, 'not simulated: the last value');
    const [from, to] = [millisOf(startTime), millisOf(endTime)];
    if (to < from) throw new RequestRefusal(400, 'endTime lies before startTime');
    const errors = tags.flatMap((name) => this.#complaints(name, request));
    if (errors.length > 0 && unknownTag === 'refused') throw new RequestRefusal(400, errors.join('; '));
    const positions = positionsOf(asked, form);
    const data: Record<string, unknown[]> = {};
    const next: string[] = [];
    let left = Math.min(maxSize, largestSize);
    for (const [index, name] of tags.entries()) {
      const position = positions?.get(index);
      if ((positions && position === undefined) || data[name] !== undefined) continue;
      const tag = this.#complaints(name, request).length > 0 ? undefined : this.#tags.find((one) => one.name === name);
      if (tag === undefined) {
        const none = { t: isoOf({ ts: from }, 7), v: null, q: noData };
        if (unknownTag === 'no-data') data[name] = [written(none, includeQuality, form)];
        continue;
      }
      const most = form === 'objects' ? Math.min(maxSize, largestSize) : left;
      const points = this.#points(tag, askedWindow(this.#options.bounds, from, to), position, most + 1);
      left -= Math.min(points.length, most);
      const following = points[most];
      if (following) next.push([stampOf(asked, form), index, following.ts, nthOf(points, most, position)].join('-'));
      const page = distort(points.slice(0, most), request.pointEffects, this.#clock.nowMs(), 'ASC');
      const rows = page.map((point) => this.#row(point, includeQuality, form));
      if (rows.length > 0 || emptyTag === 'empty') data[name] = rows;
    }
    const failed = errors.length > 0 && unknownTag === 'skipped' ? { statusCode: 'Errors', errors } : {};
    return { ...failed, data, continuation: next.length > 0 ? next : null };
  }

  /** The reasons why a tag cannot be read. */
  #complaints(name: string, { badSensors }: SimulatedRequest): string[] {
    const tag = this.#tags.find((one) => one.name === name);
    const bad = badSensors.find(({ device }) => device === tag?.device);
    if (tag === undefined || bad?.as === 'missing') return [`Tag not found: ${name}`];
    return bad ? [`Tag ${name} is ${bad.as}`] : [];
  }

  /** At most `most` points of a tag from a position on. */
  #points(tag: Tag, asked: AskedWindow, position: Position | undefined, most: number): TruthPoint[] {
    const { truth } = this.#options;
    const rest = { fromMs: Math.max(asked.fromMs, position?.ts ?? -Infinity), toMs: asked.toMs };
    const found: TruthPoint[] = [];
    let passed = 0;
    for (const point of visiblePoints(truth, tag.device, tag.key, rest, { nowMs: this.#clock.nowMs() })) {
      if (!asked.holds(point.ts) || (position && point.ts === position.ts && passed++ < position.nth)) continue;
      if (found.push(point) === most) break;
    }
    return found;
  }

  #row(
    point: Omit<TruthPoint, 'value'> & { value: unknown },
    includeQuality: boolean,
    form: 'arrays' | 'objects',
  ): unknown {
    const { quality = 'good', value } = point;
    const v = quality === 'bad' && this.#options.badValue === 'null' ? null : value;
    return written({ t: isoOf(point, 7), v, q: qualities[quality] }, includeQuality, form);
  }
}

/** `[t, v]` or `{t, v}`, with the quality where it was asked for. */
function written(
  { t, v, q }: { readonly t: string; readonly v: unknown; readonly q: number },
  includeQuality: boolean,
  form: 'arrays' | 'objects',
): unknown {
  const time = t.replace('Z', '+00:00');
  if (form === 'arrays') return includeQuality ? [time, v, q] : [time, v];
  return includeQuality ? { t: time, v, q } : { t: time, v };
}

export const simulatedCanary: SimulatedProduct = {
  platform: 'canary',
  title: 'Canary',
  open: (given, clock) => new Canary(options.parse(given), clock),
  sourceOptions: {},
  deviceOf: (index) => ({ id: `Plant.Line ${Math.floor(index / 10)}.Pump ${index}`, name: `Pump ${index}` }),
  holds: ['boolean', 'text', 'quality', 'unknown-quality', 'null', 'finer'],
  pagesOf: (cap) => ({ simulator: { largestSize: cap } }),
  seriesOf: ({ id }, key) => ({ group: '', sensorId: `${id}.${key.name}`, valueName: 'value' }),
};

if (import.meta.main) await runSimulator(simulatedCanary);
