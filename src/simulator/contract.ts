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

/** What `adapters/platforms/NAME/simulator.ts` declares, so that the demo can use a platform without knowing it. */
export interface SimulatedProduct {
  /** The platform's name in a source file. */
  readonly platform: string;
  /** The product's name for people. */
  readonly title: string;
  /** Takes at least `accounts` (`{username, password}`) and `truth`. Throws on an option or a value it does not know. */
  open(options: unknown, clock: SimulatedClock): SimulatedPlatform;
  /** `options` of a source that reads everything with the names of {@link seriesOf}. */
  readonly sourceOptions: Readonly<Record<string, unknown>>;
  /** The names that such a source gives to a key, and the group of the stream that reads it. */
  seriesOf(device: DeviceSpec, key: KeySpec): SimulatedSeries;
}

export interface SimulatedSeries {
  readonly group: string;
  readonly sensorId: string;
  readonly valueName: string;
}
