import { formatDuration } from '../core/duration.ts';
import { DAY, HOUR, MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';

/** A length of time in at most two units: `3d4h`, `1m30s`, `12s`. */
export function roughly(length: Microseconds): string {
  const units = [DAY, HOUR, MINUTE, SECOND];
  const largest = units.findIndex((unit) => Math.abs(length) >= unit);
  const finest = units[Math.min(largest < 0 ? 3 : largest + 1, 3)] as number;
  return formatDuration(Math.round(length / finest) * finest);
}

/** An instant as text; null stays null. */
export const instantOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant);

/** Text on one line of at most `longest` characters. */
export function short(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

const WIDTH = 80;

/** A paragraph in lines of at most 80 characters, each after `indent`. A word that is longer has a line of its own. */
export function wrapped(paragraph: string, indent = ''): string {
  const lines: string[] = [];
  for (const word of paragraph.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > WIDTH) lines.push(indent + word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}

/** `once`, `60 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** `9,276,504`. */
export const grouped = (count: number): string => count.toLocaleString('en-US');

/** A length of time in one unit: `2.3s`, `41s`, `12m`, `3h`, `2d`. */
export function shortly(length: Microseconds): string {
  if (length < 10 * SECOND && length % SECOND !== 0) return `${(length / SECOND).toFixed(1)}s`;
  if (length < MINUTE) return `${Math.round(length / SECOND)}s`;
  if (length < HOUR) return `${Math.round(length / MINUTE)}m`;
  return length < DAY ? `${Math.round(length / HOUR)}h` : `${Math.round(length / DAY)}d`;
}

/** `01:05`: minutes and seconds. */
export function stopwatch(length: Microseconds): string {
  const seconds = Math.floor(length / SECOND);
  return [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
