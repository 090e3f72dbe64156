import { SECOND } from '../../../src/core/instant.ts';
import type { Database } from '../../../src/database/database.ts';
import type { Change, History } from './deeds.ts';
import type { Plant } from './plant.ts';
import type { ModelTime } from './time.ts';

/** The name of the source. */
export const NAME = 'plant';
export const EVERY = 10 * SECOND;
export const SETTLE = 2 * SECOND;

/** A configuration of the source as the operator applied it; the plant sees its note with every request. */
export interface Applied extends Required<Change> {
  readonly note: number;
  /** The sensors it reads, by name; undefined: all. */
  readonly sensors: readonly string[] | undefined;
  /** The first of its kind after a removal: coverage began anew. */
  readonly fresh: boolean;
}

/** A history that runs. */
export interface Run {
  readonly history: History;
  readonly database: Database;
  readonly time: ModelTime;
  readonly plant: Plant;
  readonly applied: Applied[];
  /** Sensors that answer 500 to the end. */
  readonly broken: ReadonlySet<string>;
  /** The clock of the database was ahead at some time. */
  clockMoved: boolean;
  /** The most refused logins for one password. */
  refusedLogins: number;
}

/** After this long at the edge, live has looked back at every point that was late. */
export const LOOKED_BACK = 70 * SECOND;
