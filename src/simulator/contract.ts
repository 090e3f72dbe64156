import type { IncomingHttpHeaders } from 'node:http';
import type { SimulatedClock } from './clock.ts';
import type { Faults, PointEffect } from './faults.ts';
import type { Recorder } from './recorder.ts';
import type { DeviceSpec, KeySpec } from './truth.ts';

export interface SimulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Faults that the platform must work into the points of its answer. */
  readonly pointEffects: readonly PointEffect[];
  /** Devices that the platform has in its lists and cannot read, and how each fails. */
  readonly badSensors: readonly BadSensor[];
}

export interface BadSensor {
  readonly device: string;
  readonly as: 'missing' | 'forbidden' | 'broken';
}

export interface SimulatedAnswer {
  readonly status: number;
  /** The whole body, or its pieces in order, which are sent as fast as the client reads them. */
  readonly body: string | Iterable<string | Uint8Array>;
  /** Besides `content-type: application/json`, which a platform may replace. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One simulated server. The faults, the record of requests and the admin endpoints are the same for all platforms. */
export interface SimulatedPlatform {
  answer(request: SimulatedRequest): SimulatedAnswer | Promise<SimulatedAnswer>;
  /** The body that the product sends with an error status when a fault asks for that status. */
  errorAnswer(status: number): SimulatedAnswer;
  /** Throws if the product has no tokens. */
  invalidateTokens(tokens: 'all' | 'access'): void;
  /** Forgets what a process keeps in memory only: sessions, cursors. Left out where all of it outlives the process. */
  restart?(): void;
  /** The answer of `GET /__admin/state`: plain JSON without credentials. */
  state(): unknown;
}

/** A platform with everything the harness keeps about it. */
export interface Simulator {
  readonly platform: SimulatedPlatform;
  readonly clock: SimulatedClock;
  readonly recorder: Recorder;
  readonly faults: Faults;
}

/**
 * Values besides numbers that a product may answer. `state`: of a variable that has nothing but states. `system-state`: in place of
 * a number. `unknown-quality`: a quality that its description does not have. `finer`: instants with parts of a microsecond.
 */
export type ValueForm =
  | ('boolean' | 'text' | 'json' | 'state' | 'system-state')
  | ('quality' | 'unknown-quality' | 'null' | 'NaN' | 'finer');

/** What `adapters/platforms/NAME/simulator.ts` declares, so that demo and conformance tests can use a platform without knowing it. */
export interface SimulatedProduct {
  /** The platform's name in a source file. */
  readonly platform: string;
  /** The product's name for people. */
  readonly title: string;
  /** Takes at least `accounts` (`{username, password}`) and `truth`. Throws on an option or a value it does not know, and on a truth that the product cannot hold. */
  open(options: unknown, clock: SimulatedClock): SimulatedPlatform;
  /** `options` of a source that reads everything with the names of {@link seriesOf}. */
  readonly sourceOptions: Readonly<Record<string, unknown>>;
  /** The names that such a source gives to a key, and the group of the stream that reads it. */
  seriesOf(device: DeviceSpec, key: KeySpec): SimulatedSeries;
  /** The n-th device of a plant, as the product names its devices. A UUID and a name unless told. */
  readonly deviceOf?: (index: number) => Pick<DeviceSpec, 'id' | 'name'>;
  /** Names of keys that the product can have, the first ones for numbers. Any names unless told. */
  readonly keyNames?: readonly string[];
  /** None unless told. `null` and `NaN` come from the fault `bad-value`, the others from the truth. */
  readonly holds?: readonly ValueForm[];
  /** Whether `open` also takes `authUrl`, the address of an `authorisationServer` whose tokens it accepts. */
  readonly hasAuthorisationServer?: true;
  /** The path of its API below the address of the server, such as `/api`. */
  readonly path?: string;
  /** The `connection` of a source of a kind. Unless told, the fields of the kind, with the account as user or client. */
  connectionOf?(
    url: string,
    account: SimulatedAccount,
    authUrl: string,
    kind: string,
  ): Readonly<Record<string, string>>;
  /** Options of a source and of the simulator under which a page has at most this many points, where they can be set. */
  pagesOf?(cap: number): { readonly source?: object; readonly simulator?: object };
}

export interface SimulatedAccount {
  readonly username: string;
  readonly password: string;
}

export interface SimulatedSeries {
  /** Empty where the sensors of the platform have none. */
  readonly group: string;
  readonly sensorId: string;
  readonly valueName: string;
}
