import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../core/duration.ts';
import { configInvalid } from '../core/errors.ts';
import { parseInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';

/** The option of commands that take the name of a source. */
export const SOURCE_ORGANISATION = [
  '--organisation <id>',
  'organisation of the source; needed only where several have a source of that name',
] as const;

/** The argument of commands on source files. */
export const SOURCE_PATH = ['<path>', 'YAML file, directory of YAML files, or - for standard input'] as const;

/** The parser of an option that takes a whole number from 1 to `most`. */
export const wholeNumberUpTo =
  (most: number) =>
  (text: string): number => {
    const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Infinity;
    if (number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from 1 to ${most}.`);
  };

/** Parses an option such as `--limit`. */
export const wholeNumber = wholeNumberUpTo(999_999_999);

/**
 * A point in time as an operator writes it: an ISO 8601 instant, a day (its midnight in UTC), or a duration before now
 * (`7d`). Throws `config-invalid`.
 */
export function parseTime(text: string, now: Instant, option: string): Instant {
  const instant = parseInstant(text) ?? parseInstant(`${text}T00:00:00Z`);
  if (instant !== undefined) return instant;
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  throw configInvalid(
    `${option} ${JSON.stringify(text)} is not a time`,
    'write 2026-11-01T00:00:00Z, 2026-11-01 or 7d',
    option,
  );
}

/** Readings in a table without `--limit`; a table is held in memory until the width of its columns is known. */
export const TABLE_LIMIT = 100;

const LOOPBACK = /^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/i;

/** Whether a request to the address of a `--url` option is readable on the network: plain HTTP to another host. */
export const travelsInClear = (url: string): boolean => /^http:/i.test(url) && !LOOPBACK.test(url);
