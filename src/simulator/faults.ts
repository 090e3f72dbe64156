import { z } from 'zod';

const count = z.int().min(0);

/** Which requests a fault hits. Faults are asked in the order in which they were switched on. */
const scope = {
  /** A regular expression that the path must match; without it, every path. */
  match: z.string().optional(),
  method: z.string().optional(),
  /** Matching requests that pass unharmed before the first hit. */
  after: count.optional(),
  /** Hits only every n-th matching request after those; without it, each. */
  everyNth: z.int().min(1).optional(),
  /** How many requests it hits; without it, it hits until it is switched off. */
  next: count.optional(),
};

const declare = <Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.strictObject({ kind: z.literal(kind), ...scope, ...fields }).readonly();

/** About one point in `every` is touched, see `isDistorted` in distort.ts; default 2. */
const every = z.int().min(1).optional();

// A fault with a wrong name or value would never hit, and its test would pass: `z.strictObject` refuses it.
const simulatedFault = z.discriminatedUnion('kind', [
  /** An error status with the platform's own error body for it, and a Retry-After if one is given. */
  declare('status', {
    status: count,
    retryAfterSeconds: count.optional(),
    retryAfterAs: z.enum(['seconds', 'date']).optional(),
  }),
  /** Never answers; the connection stays open until the client gives up. */
  declare('hang', {}),
  /** The connection ends with a TCP reset instead of an answer. */
  declare('reset', {}),
  /** A 200 with a login page, `[1,"two",null]`, an error object, or the real answer with every type exchanged. */
  declare('wrong-shape', { shape: z.enum(['html', 'array', 'object', 'types', 'names']) }),
  /** The product's own error body for that status, sent with 200. */
  declare('error-in-200', { status: count }),
  /** `elsewhere`: to another origin. `login`: to a page of this server that asks for a user and a password. */
  declare('redirect', { to: z.enum(['elsewhere', 'login']), status: z.int().min(301).max(308).optional() }),
  /** A 200 with this many bytes of white space, which may stand before any JSON; the real answer does not follow. */
  declare('flood', { bytes: count }),
  /** The real answer in this many pieces (default 10), with a pause before each. */
  declare('slow-body', { pauseMs: count, pieces: z.int().min(1).optional() }),
  /** Every request gets the answer that the first one with its method and path got, as from a cursor that does not move. */
  declare('repeat', {}),
  /** The server forgets its sessions and ends every connection, this one with a TCP reset; then it is there again. */
  declare('restart', {}),
  /** Half of the real body: as a complete HTTP answer (`body`, the default), or with the connection lost half-way. */
  declare('truncate', { lost: z.enum(['body', 'connection']).optional() }),

  declare('bad-value', { value: z.enum(['NaN', '"NaN"', 'null']), every }),
  declare('duplicate-timestamps', { value: z.enum(['same', 'other']).optional(), every }),
  /** One more point per key, dated this far after the simulator's clock; default 400 days. */
  declare('future-dates', { aheadMs: count.optional() }),
  /** The points of a page in another order: newest first, or mixed. */
  declare('reorder', { as: z.enum(['reversed', 'shuffled']) }),
  /** Leaves about one point in `every` out and changes the value of about as many. */
  declare('lie', { every }),

  /** Waits before the answer begins. */
  declare('slow', { delayMs: count }),
  /** The platform has `device` in its lists and cannot read it, each platform in its own way; default `missing`. */
  declare('bad-sensor', { device: z.string(), as: z.enum(['missing', 'forbidden', 'broken']).optional() }),
  /** Before the platform sees the request, every token issued so far becomes worthless; default `all`. */
  declare('invalidate-tokens', { tokens: z.enum(['all', 'access']).optional() }),
]);

export type SimulatedFault = z.output<typeof simulatedFault>;

/** Faults that replace the answer, so no later fault sees the request. */
export type EndingEffect = Extract<SimulatedFault, { kind: (typeof endings)[number] }>;

/** Faults in the points of an answer. */
export type PointEffect = Extract<SimulatedFault, { kind: (typeof pointKinds)[number] }>;

const endings = [
  'status',
  'hang',
  'reset',
  'wrong-shape',
  'truncate',
  'error-in-200',
  'redirect',
  'flood',
  'slow-body',
  'repeat',
  'restart',
] as const;
const pointKinds = ['bad-value', 'duplicate-timestamps', 'future-dates', 'reorder', 'lie'] as const;

export interface SwitchedFault {
  readonly id: number;
  readonly fault: SimulatedFault;
  /** Matching requests so far, hit or let through. */
  readonly matched: number;
  readonly hits: number;
}

/** The faults of one simulator, switched on and off while it runs. */
export class Faults {
  #switched: { id: number; fault: SimulatedFault; matched: number; hits: number }[] = [];
  #lastId = 0;

  /** Returns the fault's id. Throws, with the reason, if it is not a {@link SimulatedFault}. */
  switchOn(given: unknown): number {
    const fault = simulatedFault.parse(given);
    new RegExp(fault.match ?? '');
    this.#lastId += 1;
    this.#switched.push({ id: this.#lastId, fault, matched: 0, hits: 0 });
    return this.#lastId;
  }

  /** Switches one fault off, or all of them. */
  switchOff(id?: number): void {
    this.#switched = id === undefined ? [] : this.#switched.filter((switched) => switched.id !== id);
  }

  list(): readonly SwitchedFault[] {
    return this.#switched;
  }

  /** The faults that hit a request, in order. An ending one is the last: the faults behind it do not count the request. */
  meet(method: string, path: string): SimulatedFault[] {
    const met: SimulatedFault[] = [];
    for (const switched of this.#switched) {
      const { match, after = 0, everyNth = 1, next = Infinity, ...own } = switched.fault;
      if (own.method !== undefined && own.method !== method) continue;
      if (match !== undefined && !new RegExp(match).test(path)) continue;
      if (switched.hits >= next) continue;
      switched.matched += 1;
      if (switched.matched <= after || (switched.matched - after) % everyNth !== 0) continue;
      switched.hits += 1;
      met.push(switched.fault);
      if (isEnding(switched.fault)) break;
    }
    return met;
  }
}

export const isEnding = (effect: SimulatedFault): effect is EndingEffect =>
  (endings as readonly string[]).includes(effect.kind);

export const isPointEffect = (effect: SimulatedFault): effect is PointEffect =>
  (pointKinds as readonly string[]).includes(effect.kind);
