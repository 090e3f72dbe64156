import { parseDuration } from '../core/duration.ts';
import { configInvalid } from '../core/errors.ts';
import { parseInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';

/**
 * Reads the value of an option: an ISO 8601 instant, a day (its midnight in UTC), or a length of time before `now` (`7d`).
 * Throws `config-invalid` for any other text.
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
