import { stripVTControlCharacters } from 'node:util';
import { formatDuration } from '../core/duration.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';

/**
 * A length of time in at most two neighbouring units: `3d4h`, `1m30s`, `12s`, and `<1s` for less than a second. The notation
 * is that of options and source files, so what is printed can be typed.
 */
export function roughly(length: Microseconds): string {
  if (length > 0 && length < SECOND) return '<1s';
  const units = [DAY, HOUR, MINUTE, SECOND];
  const largest = units.findIndex((unit) => Math.abs(length) >= unit);
  const finest = units[Math.min(largest < 0 ? 3 : largest + 1, 3)] as number;
  return formatDuration(Math.round(length / finest) * finest);
}

/** Text on one line of at most `longest` characters. */
export function short(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

/** The columns that every text has to fit where a terminal is wider. */
const WIDTH = 80;

/** The width of a terminal; undefined on a pipe, where a line is as long as it needs to be. */
export const widthOf = (stream: NodeJS.WriteStream): number | undefined =>
  stream.isTTY ? stream.columns || WIDTH : undefined;

/**
 * A paragraph in lines of at most 80 characters, or of the width of a narrower terminal, each after `indent`. A word that is
 * longer has a line of its own.
 */
export const wrapped = (paragraph: string, indent = ''): string =>
  filled(paragraph.split(' '), [indent, indent], Math.min(WIDTH, widthOf(process.stdout) ?? WIDTH));

/**
 * Text whose lines are at most `width` columns wide: a longer line is broken between words, and goes on two columns further
 * to the right than it began. A longer word stays whole, so that it can be copied; names with a slash between them are parted there.
 */
export function folded(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => {
      if (columnsIn(line) <= width) return line;
      const indent = /^ */.exec(line)?.[0] ?? '';
      return filled(line.slice(indent.length).split(' '), [indent, `${indent}  `], width);
    })
    .join('\n');
}

/** Words in lines; the first line begins with the first indent, each other one with the second. */
function filled(words: readonly string[], [first, others]: readonly [string, string], width: number): string {
  const lines: string[] = [];
  for (const word of words.flatMap((one) => (columnsIn(one) + others.length > width ? partsOf(one) : [one]))) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0) lines.push(first + word);
    else if (columnsIn(longer) > width) lines.push(others + word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** A source with its organisation may be broken between the two, an address stays whole. */
const partsOf = (word: string): string[] => (word.includes('://') ? [word] : word.split(/(?<=\/)/));

/** The columns that a line takes on a terminal: colours take none. */
const columnsIn = (line: string): number => stripVTControlCharacters(line).length;

/** `once`, `60 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** `9,276,504`. */
export const grouped = (count: number): string => count.toLocaleString('en-US');
