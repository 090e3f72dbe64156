import { MINUTE, SECOND } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Database } from '../../../src/database/database.ts';
import type { Change, History } from './deeds.ts';
import type { Plant } from './plant.ts';
import type { ModelTime } from './time.ts';

/** The name of the source. */
export const NAME = 'plant';
export const EVERY = 10 * SECOND;
export const SETTLE = 2 * SECOND;
/** Requests that may leave at once, of each source. */
export const BURST = 5;

/** A configuration of the source as the operator applied it; the plant sees its note with every request. */
export interface Applied extends Required<Change> {
  readonly note: number;
  readonly at: Instant;
  /** The sensors it reads, by name; undefined: all. */
  readonly sensors: readonly string[] | undefined;
  /** The first of its kind after a removal: coverage began anew. */
  readonly fresh: boolean;
}

/**
 * A password was refused; or an operator applied a configuration or resumed the source, which asks for one more try.
 * `concurrency`: requests that the configuration lets be under way. `amid`: some may be under way now, and their answers
 * are not waited for.
 */
export type Try =
  | { readonly what: 'refused'; readonly password: string }
  | { readonly what: 'asked'; readonly concurrency: number; readonly amid: boolean };

/** A history that runs. */
export interface Run {
  readonly history: History;
  readonly database: Database;
  readonly time: ModelTime;
  readonly plant: Plant;
  /** The plant of the other source, where there is one. */
  readonly neighbour: Plant | undefined;
  readonly applied: Applied[];
  /** Sensors that fail to the end. */
  readonly broken: ReadonlySet<string>;
  /** The clock of the database was ahead at some time. */
  clockMoved: boolean;
  /** What bears on how often a password may be refused, in order. */
  readonly tries: Try[];
  /** Refused passwords that died with their worker before it could count them. */
  lostNotes: number;
}

/** How late a point may come and still be found: beyond every overlap, and longer than any cut and what follows it. */
export const LOOK_BACK = 10 * MINUTE;

/** Looks back are taken in steps, so all time was looked at once more when it is this old. */
export const LOOKED_AT = LOOK_BACK + 4 * MINUTE;

/** After this long at the edge, live has looked back at every point that was late. */
export const LOOKED_BACK = 70 * SECOND;
