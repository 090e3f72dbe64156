import type { Coverage } from '../core/coverage.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';

/** A coverage as a literal of `tstzmultirange`. */
export const multirangeOf = (coverage: Coverage): string =>
  `{${coverage.map(({ from, to }) => `[${formatInstant(from)},${formatInstant(to)})`).join(',')}}`;

/** A `tstzmultirange` as the function `instants_of` of the database returns it. */
export type Ranges = readonly (readonly [from: Instant, to: Instant])[];

/** The coverage that a `tstzmultirange` holds. */
export const coverageFrom = (ranges: Ranges): Coverage => ranges.map(([from, to]) => ({ from, to }));
