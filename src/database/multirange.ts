import type { Coverage } from '../core/coverage.ts';
import { formatInstant } from '../core/instant.ts';

/** A coverage as a literal of `tstzmultirange`. */
export const multirangeOf = (coverage: Coverage): string =>
  `{${coverage.map(({ from, to }) => `[${formatInstant(from)},${formatInstant(to)})`).join(',')}}`;
