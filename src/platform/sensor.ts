import type { BridgeError } from '../core/errors.ts';

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
  /**
   * Set where the platform lists something and refuses to show the sensors in it, such as an asset; `id` is then that of the asset. It
   * is no sensor: the others are read, and the operator is told. Where all are refused, throw instead.
   */
  readonly refused?: BridgeError;
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
