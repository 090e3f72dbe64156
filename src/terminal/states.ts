import { paintOn } from './screen.ts';
import type { Paint } from './screen.ts';

type Style = Parameters<Paint>[0];

/** The colours of states, by the first word of a cell. A word that is not here has none. */
const COLOURS: Readonly<Record<string, Style>> = {
  well: 'green',
  active: 'green',
  done: 'green',
  data: 'green',
  ok: 'green',
  running: 'yellow',
  starting: 'yellow',
  behind: 'yellow',
  silent: 'yellow',
  paused: 'yellow',
  waits: 'yellow',
  warning: 'yellow',
  being: 'yellow',
  cancelled: 'yellow',
  missing: 'red',
  cannot: 'red',
  failing: 'red',
  failed: 'red',
  stopped: 'red',
};

/** The marks of the states of checks. */
export const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;

/** Text in the colour of a state. */
export function inColour(state: string, text: string, paint: Paint): string {
  const style = COLOURS[/^[a-z]+/.exec(state)?.[0] ?? ''];
  return style === undefined ? text : paint(style, text);
}

/** Colours the cells of columns that are headed `state` or `condition`, for the paint of a table on this stream. */
export function paintStates(
  heading: readonly string[],
  stream: NodeJS.WriteStream,
): (text: string, row: number, column: number) => string {
  const paint = paintOn(stream);
  return (text, _, column) =>
    heading[column] === 'state' || heading[column] === 'condition' ? inColour(text, text, paint) : text;
}
