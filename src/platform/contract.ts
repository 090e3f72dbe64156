import type { AxiosInstance } from 'axios';
import type { z } from 'zod';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Samples } from '../core/samples.ts';
import type { KindSchemas } from '../core/source/source.ts';
import type { Window } from '../core/window.ts';

export type { Samples };

/**
 * The contract of a platform: everything an adapter author reads.
 *
 * A platform says how to sign a request, which sensors there are, and how one window of them is read. Pacing,
 * time-outs, size limits, retries, token storage, redaction and the classification of transport errors are layers of
 * the `http` it is given; windows, coverage and storage are none of its business.
 */

/** What the customer hands over (seed 2.3); `adapters/kinds` holds one schema each. */
export type KindName = 'user-credentials' | 'client-credentials' | 'separate-auth-server' | 'historian' | 'custom';

/** The `connection` block of a source after its secrets were resolved. Never logged, never stored in clear. */
export type Credentials = Readonly<Record<string, string>>;

/** A token as the platform granted it. Instants in µs since 1970; `renewal` is the refresh token, where there is one. */
export interface Grant {
  readonly token: string;
  readonly expiresAt: Instant | undefined;
  readonly renewal?: string;
  readonly renewalExpiresAt?: Instant;
}

/**
 * How the credentials of a kind sign a request. Without `obtain` there is no token (Basic): `sign` gets undefined.
 * `obtain` and `renew` go through an http that is paced but not signed; they throw `credentials-rejected` when the
 * platform refuses. The bridge calls them at most once at a time over all its hosts, keeps the grant (encrypted) and
 * renews it before it expires or after one 401.
 */
export interface Authorisation {
  readonly sign: (credentials: Credentials, token: string | undefined) => Readonly<Record<string, string>>;
  readonly obtain?: (http: Http, credentials: Credentials) => Promise<Grant>;
  /** Undefined where the platform refused the renewal: then `obtain` follows. */
  readonly renew?: (http: Http, grant: Grant) => Promise<Grant | undefined>;
}

/**
 * One axios instance per conversation, base URL set, with the bridge's layers in it. It throws only BridgeErrors:
 * 401 → `credentials-rejected` (after one fresh token), 403 → `credentials-rejected {right}`, 413 → `too-much`,
 * 429 and 503 → `throttled`/`unavailable`, other 5xx and transport → `unavailable`, a body over the limit → `too-much`,
 * what is not JSON where JSON was asked → `contract-broken`. Statuses listed in `config.expect` are returned instead.
 */
export type Http = AxiosInstance;

declare module 'axios' {
  // oxlint-disable-next-line typescript/no-explicit-any, no-unused-vars -- a merged declaration repeats axios' own
  export interface AxiosRequestConfig<D = any, P = any> {
    /** Error statuses that the caller handles itself: returned as they are instead of thrown. */
    expect?: readonly number[];
  }
}

/** What the platform's documentation says about limits. Vendor facts are data: each with its source in a comment. */
export interface PlatformLimits {
  /** Longest window to ask for, µs. */
  readonly maxWindow: Microseconds;
  /** Shortest length a window may be halved to, µs: the platform's own resolution of time. */
  readonly minWindow: Microseconds;
  /** How many sensors one `read` takes; a stream never has more. `Infinity` where one request reads them all. */
  readonly sensorsPerRead: number;
  /** A read has to name the variables it wants; one found later gets a stream of its own, so its past is filled. */
  readonly namesVariables: boolean;
  /** Default pace; the source may lower or raise it. */
  readonly pace: { readonly requestsPerSecond: number; readonly burst: number; readonly concurrency: number };
  /** How late points usually become readable, µs: the default of `settle`. */
  readonly lateness: Microseconds;
  /** How much of the covered end is asked again by default, µs. */
  readonly overlap: Microseconds;
}

/** A sensor as discovery finds it. */
export interface Sensor {
  /** The platform's own stable identifier. */
  readonly id: string;
  /** What a person calls it. */
  readonly name?: string;
  /** Variables it is known to have, as the platform names them. */
  readonly variables?: readonly string[];
  /** Sensors of one group may share a stream (one measurement, one device). Default: any may. */
  readonly group?: string;
  /** Only readable together with all of its group (then the stream is named after the group). */
  readonly labels?: readonly string[];
}

/** What a stream reads: its sensors, and the group they came from. */
export interface Selection {
  readonly group: string | undefined;
  /** Undefined: everything the group holds, also what appears later. */
  readonly sensors: readonly string[] | undefined;
  /** The variables to ask for, on platforms that `namesVariables`; otherwise undefined: all of them. */
  readonly variables: readonly string[] | undefined;
}

/**
 * A platform. `O` is the output type of its own options schema.
 *
 * - `identify` asks the cheapest question that only this platform answers, then whether the credentials may read;
 *   it throws `contract-broken` ("this is not …"), `credentials-rejected` or `config-invalid` with a remedy.
 *   It returns the product's own words about itself, and its clock where it shows one.
 * - `sensors` yields what there is to read.
 * - `read` yields the samples of one window page by page. Every point with `from <= at < to` must be yielded; points
 *   outside are dropped by the bridge, so a request may be a superset. It stops early when `page` consumption stops
 *   (the generator is returned), and must free the connection then.
 */
export interface Platform<O = unknown> {
  readonly name: string;
  readonly title: string;
  readonly docs: string;
  readonly kinds: Readonly<Partial<Record<KindName, Authorisation>>>;
  readonly options: z.ZodType<O>;
  readonly limits: PlatformLimits;
  readonly identify: (http: Http, options: O) => Promise<{ product: string; clock?: Instant }>;
  readonly sensors: (http: Http, options: O) => AsyncIterable<Sensor>;
  readonly read: (http: Http, options: O, selection: Selection, window: Window) => AsyncIterable<Samples>;
}

/** Declares a platform; the generic ties `options` to the functions that receive it. */
export const definePlatform = <O>(platform: Platform<O>): Platform => platform as unknown as Platform;

/** The platforms this build serves, and the schema of each kind's connection fields. */
export interface Registry {
  readonly platforms: readonly Platform[];
  readonly kinds: KindSchemas<KindName>;
}
