import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../core/duration.ts';
import { configInvalid } from '../core/errors.ts';
import { formatInstant, parseInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';

/** The option of commands that take the name of a source. */
export const SOURCE_ORGANISATION = [
  '--organisation <id>',
  'organisation of the source; needed only where several have a source of that name',
] as const;

/** The argument of commands on source files. */
export const SOURCE_PATH = ['<path>', 'YAML file, directory of YAML files, or - for standard input'] as const;

/** The argument of commands that try sources. */
export const SOURCE_PATH_OR_NAME = [
  '<path or name>',
  'YAML file, directory of YAML files, - for standard input, or the name of a registered source',
] as const;

/** Options of commands that ask a platform by hand. */
export const IN_QUIET_HOURS = ['--in-quiet-hours', 'ask the platform although the source has quiet hours'] as const;
export const TRY_AGAIN = ['--try-again', 'send credentials once more that the platform refused before'] as const;

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

/** A day, or a time of a day without its zone. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/;

/** The notes that were written, because a command on several sources reads its options for each of them. */
const noted = new Set<string>();

/**
 * A point in time as an operator writes it: an ISO 8601 instant, a day or a time of a day in UTC, or a duration before now
 * (`7d`). Where the zone is missing, a note on stderr says that the time is read as UTC. Throws `config-invalid`.
 */
export function parseTime(text: string, now: Instant, option: string): Instant {
  const [, day, time = '00:00', seconds = ':00'] = WITHOUT_ZONE.exec(text) ?? [];
  const inUtc = day === undefined ? undefined : parseInstant(`${day}T${time}${seconds}Z`);
  if (inUtc !== undefined) {
    const note = `${option} ${text} has no zone and is read as UTC: ${formatInstant(inUtc)}\n`;
    if (!noted.has(note)) process.stderr.write(note);
    noted.add(note);
    return inUtc;
  }
  const instant = parseInstant(text);
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
