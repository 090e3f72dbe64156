/** Which requests a fault hits. Faults are asked in the order they were switched on. */
export interface FaultScope {
  /** A regular expression the path must match; without it, every path. */
  readonly match?: string;
  readonly method?: string;
  /** Matching requests let through unharmed before the first hit. */
  readonly after?: number;
  /** How many requests to hit; without it, until switched off. */
  readonly next?: number;
}

/** Faults after which the request is not answered as asked, so no later fault sees it. */
export type EndingEffect =
  /** An error status with the platform's own error body for it, and a Retry-After if one is given. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfterSeconds?: number;
      readonly retryAfterAs?: 'seconds' | 'date';
    }
  /** Never answers; the connection stays open until the client gives up. */
  | { readonly kind: 'hang' }
  /** The connection ends with a TCP reset instead of an answer. */
  | { readonly kind: 'reset' }
  /** A 200 with a login page, `[1,"two",null]`, an error object, or the real answer with every type exchanged. */
  | { readonly kind: 'wrong-shape'; readonly shape: 'html' | 'array' | 'object' | 'types' }
  /** Half of the real body: as a complete HTTP answer (`body`), or with the connection lost half-way. */
  | { readonly kind: 'truncate'; readonly lost?: 'body' | 'connection' };

/** Faults in the points of an answer. `every` picks about one point in so many, see `isDistorted` in distort.ts. */
export type PointEffect =
  | { readonly kind: 'bad-value'; readonly value: 'NaN' | '"NaN"' | 'null'; readonly every?: number }
  | { readonly kind: 'duplicate-timestamps'; readonly value?: 'same' | 'other'; readonly every?: number }
  /** One more point per key, dated this far after the simulator's clock. */
  | { readonly kind: 'future-dates'; readonly aheadMs?: number };

export type Effect =
  | EndingEffect
  | PointEffect
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Before the request is looked at, every token issued so far stops being accepted. */
  | { readonly kind: 'invalidate-tokens'; readonly tokens?: 'all' | 'access' };

export type SimulatedFault = FaultScope & Effect;

export interface SwitchedFault {
  readonly id: number;
  readonly fault: SimulatedFault;
  /** Matching requests so far, hit or let through. */
  readonly matched: number;
  readonly hits: number;
}

const fieldsOfKind: Record<Effect['kind'], Record<string, 'number' | 'word'>> = {
  status: { status: 'number', retryAfterSeconds: 'number', retryAfterAs: 'word' },
  'invalidate-tokens': { tokens: 'word' },
  slow: { delayMs: 'number' },
  hang: {},
  reset: {},
  truncate: { lost: 'word' },
  'wrong-shape': { shape: 'word' },
  'bad-value': { value: 'word', every: 'number' },
  'duplicate-timestamps': { value: 'word', every: 'number' },
  'future-dates': { aheadMs: 'number' },
};

const wordsOfField: Record<string, readonly string[]> = {
  'status.retryAfterAs': ['seconds', 'date'],
  'invalidate-tokens.tokens': ['all', 'access'],
  'truncate.lost': ['body', 'connection'],
  'wrong-shape.shape': ['html', 'array', 'object', 'types'],
  'bad-value.value': ['NaN', '"NaN"', 'null'],
  'duplicate-timestamps.value': ['same', 'other'],
};

const required: Partial<Record<Effect['kind'], string>> = {
  status: 'status',
  slow: 'delayMs',
  'wrong-shape': 'shape',
  'bad-value': 'value',
};

/** The faults of one simulator, switched on and off while it runs. */
export class Faults {
  #switched: { id: number; fault: SimulatedFault; matched: number; hits: number }[] = [];
  #lastId = 0;

  /** Returns the fault's id. Throws, saying what is wrong, if it is not a {@link SimulatedFault}. */
  switchOn(fault: unknown): number {
    this.#lastId += 1;
    this.#switched.push({ id: this.#lastId, fault: parseFault(fault), matched: 0, hits: 0 });
    return this.#lastId;
  }

  /** Switches one fault off, or all of them. */
  switchOff(id?: number): void {
    this.#switched = id === undefined ? [] : this.#switched.filter((switched) => switched.id !== id);
  }

  list(): readonly SwitchedFault[] {
    return this.#switched;
  }

  /** The effects a request meets, in order. An ending effect is the last one and leaves the faults behind it unused. */
  meet(method: string, path: string): Effect[] {
    const met: Effect[] = [];
    for (const switched of this.#switched) {
      const { fault } = switched;
      if (fault.method !== undefined && fault.method !== method) continue;
      if (fault.match !== undefined && !new RegExp(fault.match).test(path)) continue;
      if (switched.hits >= (fault.next ?? Infinity)) continue;
      switched.matched += 1;
      if (switched.matched <= (fault.after ?? 0)) continue;
      switched.hits += 1;
      met.push(fault);
      if (isEnding(fault)) break;
    }
    return met;
  }
}

export function isEnding(effect: Effect): effect is EndingEffect {
  return ['status', 'hang', 'reset', 'wrong-shape', 'truncate'].includes(effect.kind);
}

export function isPointEffect(effect: Effect): effect is PointEffect {
  return ['bad-value', 'duplicate-timestamps', 'future-dates'].includes(effect.kind);
}

/** A misspelt fault must not pass for one that never bites, so unknown names and values are refused. */
function parseFault(input: unknown): SimulatedFault {
  const fault = Object(input) as Record<string, unknown>;
  const kind = fault['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(fieldsOfKind, kind)) throw new Error(`no such fault: ${String(kind)}`);
  const ownFields = fieldsOfKind[kind as Effect['kind']];
  const need = required[kind as Effect['kind']];
  if (need !== undefined && fault[need] === undefined) throw new Error(`a fault ${kind} needs ${need}`);
  for (const [name, value] of Object.entries(fault)) {
    if (name === 'kind') continue;
    else if (name === 'match') new RegExp(text(name, value));
    else if (name === 'method') text(name, value);
    else if (name === 'after' || name === 'next' || ownFields[name] === 'number') wholeNumber(name, value);
    else if (ownFields[name] !== 'word') throw new Error(`a fault ${kind} has no ${name}`);
    else if (!wordsOfField[`${kind}.${name}`]?.includes(text(name, value))) throw new Error(`${name} is not ${value}`);
  }
  return fault as unknown as SimulatedFault;
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new Error(`${name} is a string`);
  return value;
}

function wholeNumber(name: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Error(`${name} is a whole number, 0 or more`);
}
