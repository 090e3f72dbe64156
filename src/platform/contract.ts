import type { AxiosInstance } from 'axios';
import type { z } from 'zod';
import type { BridgeError } from '../core/errors.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { QualityTable } from '../core/quality.ts';
import type { Bound } from '../core/question.ts';
import type { Samples } from '../core/samples.ts';
import type { Window } from '../core/window.ts';

export type { Samples };

/**
 * The contract of a platform: the page an adapter author reads.
 *
 * A platform says how to sign a request, which sensors there are and how one window of them is read. The `http` it is
 * given does pacing, time-outs, size limits, tokens, redaction and the classification of transport errors; the bridge
 * does windows, coverage, retries and storage.
 *
 * Instants and lengths of time are whole microseconds (core/instant.ts), windows are `[from, to)` (core/window.ts), and every error is
 * a BridgeError whose code says what the bridge does about it (core/errors.ts). Any other error is a `bug`.
 */

/** The kind of credentials a customer hands over; `adapters/kinds` has the schema of each. */
export type KindName = 'user-credentials' | 'client-credentials' | 'separate-auth-server' | 'historian' | 'custom';

/** The `connection` block of a source by field (`url`, `username`, …), its secrets in clear. Never log or keep it. */
export type Credentials = Readonly<Record<string, string>>;

/** A token as the platform granted it. */
export interface Grant {
  readonly token: string;
  /** Undefined where the platform names no end: the token is then used until it is refused. */
  readonly expiresAt: Instant | undefined;
  /** How long the token lives from now on, where the platform says that instead: the bridge's clock decides when it ends. */
  readonly expiresInSeconds?: number;
  /** The refresh token, where the platform gives one. */
  readonly renewal?: string;
  readonly renewalExpiresAt?: Instant;
  /** Texts that the next login or renewal needs, such as the address of the token endpoint. Sealed and shared like the token. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** The part of a source that a login needs besides its credentials. */
export interface LoginContext<O> {
  readonly options: O;
  /** `keep` of the last grant, also where that has expired. */
  readonly kept: Readonly<Record<string, string>> | undefined;
}

/**
 * How the credentials of a kind sign a request. The bridge keeps the grant encrypted and shares it with all its hosts;
 * it replaces it before it expires and after one 401, by one `renew` or `obtain` at a time over all hosts.
 */
export interface Authorisation<O = unknown> {
  /** The headers that sign a request. `token` is undefined where there is no `obtain`, as with HTTP Basic. */
  readonly sign: (credentials: Credentials, token: string | undefined, options: O) => Readonly<Record<string, string>>;
  /** The fields that sign a request in its JSON body, for a platform that takes the token there. A request without one stays as it is. */
  readonly signBody?: (token: string) => Readonly<Record<string, string>>;
  /**
   * Whether an answer with status 200 refuses the token, for a platform that says so in the body. Such an answer counts as one
   * with 401. Each answer is read whole before the adapter gets it, also a stream.
   */
  readonly refusesToken?: (text: string) => boolean;
  /**
   * Logs in. Its `http` waits for the pace and signs nothing; an absolute address reaches another server, such as
   * `authUrl`. Throws `credentials-rejected` where the platform refuses the credentials.
   */
  readonly obtain?: (http: Http, credentials: Credentials, context: LoginContext<O>) => Promise<Grant>;
  /** Trades `grant.renewal` for a new grant. Undefined where the platform refuses: the bridge then calls `obtain`. */
  readonly renew?: (http: Http, grant: Grant, options: O) => Promise<Grant | undefined>;
  /**
   * Gives a token back, where tokens that are not used cost the customer something, such as a licence. Called for the token of a
   * check or a preview when that ends. The token of a registered source is shared by all hosts and stays for the next poll.
   */
  readonly revoke?: (http: Http, grant: Grant, options: O) => Promise<void>;
}

/**
 * An axios instance with the layers of the bridge in it; its base URL is `connection.url`. Requests to another origin
 * are refused, except in `obtain` and `renew`. `responseType` is `json` (the default), `text`, `arraybuffer` or
 * `stream`; a stream holds its request slot until it ends or is destroyed. It throws only BridgeErrors:
 *
 * | answer | error |
 * |---|---|
 * | 401, also when repeated with a fresh token | `credentials-rejected` |
 * | 403 | `credentials-rejected {right}` |
 * | 413, a body over the size limit, a body that flows for longer than the time limit | `too-much` |
 * | 429, and 503 with a `Retry-After` of a second or more | `throttled` |
 * | other 5xx, 408, no connection, no answer in time, an answer that breaks off | `unavailable` |
 * | other 4xx, text or nothing where JSON was asked for, a redirect to another origin | `contract-broken` |
 * | the caller stops | `cancelled` |
 *
 * Where `expect` lists a status, the answer is returned instead: as JSON, or as text where it is not JSON.
 */
export type Http = AxiosInstance;

declare module 'axios' {
  // oxlint-disable-next-line typescript/no-explicit-any, no-unused-vars -- a merged declaration repeats axios' own
  export interface AxiosRequestConfig<D = any, P = any> {
    /** Error statuses that the caller handles itself: they are returned instead of thrown. */
    expect?: readonly number[];
  }
}

/**
 * The facts of the vendor's API as data, so that the bridge asks accordingly and the tests of every platform are generated
 * from them. The source of each fact stands in a comment beside it; a guess is marked as ours.
 */
export interface PlatformFacts {
  /**
   * Whether the points at the two ends of the asked time belong to the answer. The bridge asks one `resolution` earlier where
   * `from` is not inclusive, and drops the points beside its window, so `read` asks for the window that it is given.
   */
  readonly bounds: { readonly from: Bound; readonly to: Bound };
  /** The steps in which a question names instants; `read` is given windows of whole steps. At least a microsecond. */
  readonly resolution: Microseconds;
  /** The order of time in which an answer holds the points of one sensor; `none` where nothing promises one. */
  readonly order: 'ascending' | 'descending' | 'none';
  /**
   * `cap`: one answer holds at most this many points of a variable, unless the options say otherwise; `Infinity` where nothing
   * cuts it. `more`: how an answer that was cut shows it.
   *
   * | `more` | the answer |
   * |---|---|
   * | `cursor` | has a token for the next question |
   * | `link` | has the address of the next page |
   * | `offset` | is asked for by the number of points before it |
   * | `flag` | says that there is more, and not where |
   * | `full-page` | says nothing: it has as many points as the cap |
   * | `none` | is never cut |
   */
  readonly page: {
    readonly cap: number;
    readonly more: 'cursor' | 'link' | 'offset' | 'flag' | 'full-page' | 'none';
  };
  /** Whether a variable may have several points at one instant. */
  readonly sameInstant: 'one' | 'many';
  /**
   * How one bad sensor among many shows. `status`: its own request gets an error status. `inside-200`: the answer names it
   * beside the points of the others. `whole-batch`: none of the sensors asked for with it is answered.
   */
  readonly failsAs: 'status' | 'inside-200' | 'whole-batch';
  /**
   * What the qualities in `Samples` mean. Left out where the platform has none. Where it gives codes with many details, `read`
   * yields the part of them that says how good a value is, such as the two highest bits of an OPC status.
   */
  readonly quality?: QualityTable;
  /** The longest window that may be asked for; the question may be almost three `resolution` longer. An operator can choose a shorter one. */
  readonly maxWindow: Microseconds;
  /** The shortest window, at which halving ends: the resolution, or more where shorter windows do not help. */
  readonly minWindow: Microseconds;
  /** A stream lists at most this many sensors, of a group, too. `Infinity` where one request reads a group, or all sensors, whole. */
  readonly sensorsPerRead: number;
  /**
   * Whether `read` must name its variables. A variable found later then gets a stream of its own, so its past is read.
   */
  readonly namesVariables: boolean;
  /**
   * Whether the platform knows local times only: the time of a wall clock, without offset. `read` is then given a window of
   * local times, asks for it by `formatLocal`, and yields local times by `parseLocal` (both in core/instant.ts). The bridge
   * turns both into instants with the zone of the source; a window may come in several parts.
   */
  readonly localTime?: true;
  /** The default pace of a source. An operator can choose a lower or a higher one. */
  readonly pace: { readonly requestsPerSecond: number; readonly burst: number; readonly concurrency: number };
  /** How long a point usually takes until it can be read: the default of `schedule.settle`. */
  readonly lateness: Microseconds;
  /** How much of the covered time is asked again for late points: the default of `schedule.overlap`. */
  readonly overlap: Microseconds;
}

/** A sensor as discovery finds it. */
export interface Sensor {
  /** The platform's own identifier, which stays the same when the sensor is renamed. `read` yields it, too. */
  readonly id: string;
  /** The name people use for it. */
  readonly name?: string;
  /** The variables it is known to have, as the platform names them; needed where `namesVariables`. */
  readonly variables?: readonly string[];
  /**
   * A stream reads sensors of one group only, such as a measurement or a device. Without it all sensors are one group.
   */
  readonly group?: string;
}

/** A variable of a sensor as discovery and `read` named them. */
export interface KnownVariable {
  readonly sensor: Pick<Sensor, 'id' | 'name' | 'group'>;
  readonly variable: string;
}

/** The sensors a stream reads. */
export interface Selection {
  /** Their group; undefined where the platform has none. */
  readonly group: string | undefined;
  /** Undefined: all of the group, also later ones; only where sensors have a group and `sensorsPerRead` is `Infinity`. */
  readonly sensors: readonly string[] | undefined;
  /** The variables to ask for where `namesVariables`; otherwise undefined, which means all of them. */
  readonly variables: readonly string[] | undefined;
}

/**
 * A sensor that cannot be read although others of its selection can, such as one that was deleted. The bridge gives the sensors
 * that failed in a window a stream of their own, with the coverage so far, and covers the window for the others. `failed` counts
 * as `contract-broken` whatever its code, so a sensor never stops its source: a fault of the whole platform is thrown. Samples of
 * the sensor that were yielded in the same window are stored, and read again. It may be yielded on every page that names it.
 */
export interface FailedSensor {
  readonly sensor: string;
  readonly failed: BridgeError;
}

/** What a platform is for one source, where the options of the source decide it. */
export interface Declaration<O> {
  readonly facts: PlatformFacts;
  readonly kinds: Readonly<Partial<Record<KindName, Authorisation<O>>>>;
}

/** A platform. `O` is the output type of its options schema. */
export interface Platform<O = unknown> {
  /** The name of its folder, as operators write it under `platform`. */
  readonly name: string;
  /** The name of the product in messages. */
  readonly title: string;
  /** The address of the vendor's documentation of the API. */
  readonly docs: string;
  /** The kinds of credentials it takes, and how each signs a request. */
  readonly kinds: Readonly<Partial<Record<KindName, Authorisation<O>>>>;
  readonly options: z.ZodType<O>;
  readonly facts: PlatformFacts;
  /**
   * For a platform that the operator describes by options: its facts and authorisation under these options. `facts` and `kinds`
   * above are then what holds for every source of it. Where nothing proves that its answers are complete, the options hold
   * `unproven: accepted`, and lists of sources say so.
   */
  readonly declaredBy?: (options: O) => Declaration<O>;
  /** Options that must give the same points by other pages. `source check` compares them where there is `declaredBy`. */
  readonly otherPages?: (options: O, points: number) => readonly O[];
  /**
   * The fields of a source that say where its data is, such as `connection.url` and `options.database`. Where an operator
   * changes one of them, the coverage of the source begins anew. A field that only chooses among the data there is none of them.
   */
  readonly place: readonly string[];
  /**
   * The identifiers that a sensor and a variable, known under the options `before`, have under the options `after`; undefined
   * where only the platform could tell. An operator is asked before a change of options renames series that have readings.
   */
  readonly renamed: (known: KnownVariable, before: O, after: O) => { sensor: string; variable: string } | undefined;
  /**
   * Asks the cheapest question that only this platform answers, then whether the credentials may read. Returns the
   * product in its own words, and its clock where it shows one. Throws `contract-broken` ("this is not …"),
   * `unsupported`, `credentials-rejected` or `config-invalid`, with a remedy.
   */
  readonly identify: (http: Http, options: O) => Promise<{ product: string; clock?: Instant }>;
  /** Whether this platform answers, by an unsigned question. Left out where no such answer tells it from others. */
  readonly recognise?: (http: Http) => Promise<boolean>;
  /** Yields every sensor the credentials may read and the options choose. */
  readonly sensors: (http: Http, options: O) => AsyncIterable<Sensor>;
  /**
   * Yields those of `sensors` that have these identifiers, with requests in proportion to their number; one that is not there
   * is left out. The bridge calls it where an operator listed the sensors of a source. Left out where `sensors` takes a
   * few requests however many there are.
   */
  readonly find?: (http: Http, options: O, ids: readonly string[]) => AsyncIterable<Sensor>;
  /**
   * Yields at least those of `sensors` whose id or name holds this text, in capitals or not; the bridge drops the others. Left out
   * where the platform cannot search. Where it cannot for this text or under these options, it yields all of `sensors`.
   */
  readonly search?: (http: Http, options: O, text: string) => AsyncIterable<Sensor>;
  /**
   * Yields the samples of one window, page by page: every point with `from <= at < to`. The bridge drops points outside; they count
   * towards the size of the window. A failure must never look like an empty window: an error inside an HTTP 200 is
   * `contract-broken`, an answer that was cut short is `too-much`. A sensor of `selection.sensors` that fails alone is a
   * `FailedSensor`. The bridge may stop early; the generator then has to destroy the stream it has open. The bridge takes the secrets of the connection out of every error.
   */
  readonly read: (
    http: Http,
    options: O,
    selection: Selection,
    window: Window,
  ) => AsyncIterable<Samples | FailedSensor>;
}

/** Declares a platform. The type parameter ties `options` to the functions that receive them. */
export const definePlatform = <O>(platform: Platform<O>): Platform => platform as unknown as Platform;

/** The platform as the options of a source declare it; the platform itself where its facts do not depend on them. */
export const asDeclared = (platform: Platform, options: unknown): Platform =>
  platform.declaredBy === undefined ? platform : { ...platform, ...platform.declaredBy(options) };
