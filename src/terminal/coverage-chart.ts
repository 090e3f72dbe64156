import { BUCKET_STATES, bucketOf, countOf } from '../core/buckets.ts';
import type { BucketState, Grid } from '../core/buckets.ts';
import { DAY, MINUTE, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Paint } from './screen.ts';
import { short } from './words.ts';

const LOOKS: Readonly<Record<BucketState, readonly [sign: string, style: Parameters<Paint>[0] | undefined]>> = {
  data: ['█', 'green'],
  empty: ['·', 'dim'],
  missing: ['_', 'red'],
  asking: ['~', 'yellow'],
  failed: ['x', 'red'],
  refused: ['!', 'yellow'],
  'before-start': ['<', 'dim'],
  'not-due': [' ', undefined],
};

const LONGEST_LABEL = 20;

/** So many buckets fit beside the labels. */
export const bucketsIn = (width: number): number => Math.max(1, width - LONGEST_LABEL - 1);

/** A row for each stream with one character a bucket, a time axis in UTC and a legend of the signs. */
export function drawCoverage(
  rows: readonly { readonly label: string; readonly states: readonly BucketState[] }[],
  { grid, width, paint }: { readonly grid: Grid; readonly width: number; readonly paint: Paint },
): readonly string[] {
  const room = Math.min(LONGEST_LABEL, Math.max(0, ...rows.map(({ label }) => label.length)));
  const line = ({ label, states }: (typeof rows)[number]): string =>
    `${short(label, room).padEnd(room)} ${states.map((state) => signOf(state, paint)).join('')}`;
  const used = new Set(rows.flatMap(({ states }) => states));
  return [...rows.map(line), `${' '.repeat(room + 1)}${axisOf(grid)}`, ...legendOf(used, width, paint)];
}

function signOf(state: BucketState, paint: Paint): string {
  const [sign, style] = LOOKS[state];
  return style === undefined ? sign : paint(style, sign);
}

/** Each label begins with a bar below the bucket that it names, as far as it fits. */
function axisOf(grid: Grid): string {
  const count = countOf(grid);
  let axis = '';
  for (let index = 0; index < count; index += 1) {
    const label = `|${labelOf(bucketOf(grid, index).from, grid.length)}`;
    if (index !== axis.length || (index > 0 && index + label.length > count)) continue;
    axis += `${label}  `;
  }
  return axis.trimEnd();
}

function labelOf(instant: Instant, length: number): string {
  const text = formatInstant(instant);
  if (length >= DAY) return text.slice(0, 10);
  return length >= MINUTE ? `${text.slice(5, 10)} ${text.slice(11, 16)}` : text.slice(11, 19);
}

/** The signs that were drawn, in lines of at most `width` characters. */
function legendOf(used: ReadonlySet<BucketState>, width: number, paint: Paint): string[] {
  const lines: { text: string; length: number }[] = [];
  for (const state of Object.keys(BUCKET_STATES) as BucketState[]) {
    if (!used.has(state)) continue;
    const words = state === 'not-due' ? `blank ${BUCKET_STATES[state]}` : `${LOOKS[state][0]} ${BUCKET_STATES[state]}`;
    const text = state === 'not-due' ? words : words.replace(LOOKS[state][0], signOf(state, paint));
    const last = lines.at(-1);
    if (last === undefined || last.length + 3 + words.length > width) lines.push({ text, length: words.length });
    else {
      last.text += `   ${text}`;
      last.length += 3 + words.length;
    }
  }
  return lines.map(({ text }) => text);
}
