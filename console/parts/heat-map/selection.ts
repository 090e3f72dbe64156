/** The time that an operator has selected in a picture of coverage: by hand or as text, both at any time. */

/** Half-open, ms since 1970. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A stretch of all streams, or of some. */
export interface SelectedLine extends Stretch {
  readonly streams: readonly string[] | undefined;
}

export type Selection = readonly SelectedLine[];

export type Deed = 'replace' | 'add' | 'subtract';

/** Stands for all streams, also for those that are not in sight. */
const ALL = '*';

type ByStream = Map<string, readonly Stretch[]>;

function byStream(selection: Selection): ByStream {
  const map: ByStream = new Map();
  for (const { from, to, streams } of selection)
    for (const key of streams ?? [ALL]) map.set(key, united([...(map.get(key) ?? []), { from, to }]));
  return map;
}

/** Stretches in order, those that touch as one. */
function united(stretches: readonly Stretch[]): Stretch[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of stretches.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last !== undefined && last.to >= from) last.to = Math.max(last.to, to);
    else if (to > from) result.push({ from, to });
  }
  return result;
}

const without = (stretches: readonly Stretch[], { from, to }: Stretch): Stretch[] =>
  stretches.flatMap((one) =>
    [
      { from: one.from, to: Math.min(one.to, from) },
      { from: Math.max(one.from, to), to: one.to },
    ].filter((rest) => rest.from < rest.to),
  );

/** One line a stretch; streams with the same stretch share it. */
function linesOf(map: ByStream): Selection {
  const lines = new Map<string, { stretch: Stretch; streams: string[] }>();
  for (const [key, stretches] of map)
    for (const stretch of stretches) {
      const name = `${stretch.from} ${stretch.to}`;
      const line = lines.get(name) ?? { stretch, streams: [] };
      line.streams.push(key);
      lines.set(name, line);
    }
  return [...lines.values()]
    .map(({ stretch, streams }) => ({ ...stretch, streams: streams.includes(ALL) ? undefined : streams }))
    .toSorted((one, other) => one.from - other.from || one.to - other.to);
}

/** The selection after one more stretch was dragged. `streams`: all that are in sight. */
export function selected(selection: Selection, line: SelectedLine, deed: Deed, streams: readonly string[]): Selection {
  if (deed === 'replace') return linesOf(byStream([line]));
  if (deed === 'add') return linesOf(byStream([...selection, line]));
  const map = byStream(selection);
  const all = map.get(ALL);
  if (all !== undefined && line.streams !== undefined) {
    // A part of all streams is all others, as far as they are in sight.
    map.delete(ALL);
    for (const key of streams) map.set(key, united([...(map.get(key) ?? []), ...all]));
  }
  for (const key of line.streams ?? map.keys()) map.set(key, without(map.get(key) ?? [], line));
  return linesOf(map);
}

/** Whether all of a stretch of a stream is selected. */
export function isSelected(selection: Selection, stream: string, { from, to }: Stretch): boolean {
  return selection.some(
    (line) => line.from <= from && line.to >= to && (line.streams === undefined || line.streams.includes(stream)),
  );
}

/** How times are written and read. */
export interface Clock {
  readonly write: (at: number) => string;
  readonly read: (text: string) => number | undefined;
}

/** `2026-11-22 10:00 – 2026-11-23 00:00 · pump, fan` a line; without streams it is all of them. */
export const textOfSelection = (selection: Selection, { write }: Clock): string =>
  selection
    .map(({ from, to, streams }) => `${write(from)} – ${write(to)}${streams ? ` · ${streams.join(', ')}` : ''}`)
    .join('\n');

/** The selection of a text; the number of the first line that is none where there is one. */
export function selectionOfText(text: string, { read }: Clock): { selection: Selection } | { wrong: number } {
  const selection: SelectedLine[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [range = '', ...names] = line.split(' · ');
    const [begin = '', end = ''] = range.split(/\s+(?:–|-|to)\s+/);
    const [from, to] = [read(begin), read(end)];
    if (from === undefined || to === undefined || from >= to) return { wrong: at + 1 };
    const streams = names
      .join(' · ')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    selection.push({ from, to, streams: streams.length === 0 ? undefined : streams });
  }
  return { selection };
}
