import { styleText } from 'node:util';

/** Colours text that already has its width; returns the text unchanged where the terminal has no colours. */
export type Paint = (style: 'dim' | 'bold' | 'green' | 'yellow' | 'red', text: string) => string;

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const CLEAR_LINE = '\u001B[K';
const CLEAR_BELOW = '\u001B[J';

/** The last lines of a terminal, which are drawn again in place. */
export interface Screen {
  /** Replaces the lines that were drawn before. Each line fits the width of the terminal. */
  draw(lines: readonly string[]): void;
  /** Removes the lines that were drawn, so that the next output takes their place. May be called again. */
  clear(): void;
  /** Leaves the lines where they are, and shows the cursor below them. May be called again. */
  leave(): void;
}

/** Whether a stream is a terminal on which the cursor can be moved. */
export const isScreen = (stream: NodeJS.WriteStream): boolean => stream.isTTY && process.env['TERM'] !== 'dumb';

/** Begins a new line, or clears the present one where that is possible. */
export function freshLine(stream: NodeJS.WriteStream): void {
  if (stream.isTTY) stream.write(isScreen(stream) ? `\r${CLEAR_LINE}` : '\n');
}

/** Draws a frame with one write, so that it does not flicker. The cursor is hidden until the screen is left, also by the end of the process. */
export function screenOn(stream: NodeJS.WriteStream): Screen {
  let height = 0;
  const show = (): void => {
    stream.write(SHOW_CURSOR);
  };
  const up = (): string => (height === 0 ? '' : `\u001B[${height}A\r`);
  return {
    draw(lines) {
      stream.write(`${HIDE_CURSOR}${up()}${lines.map((line) => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`);
      if (height === 0) process.once('exit', show);
      height = lines.length;
    },
    clear() {
      if (height > 0) stream.write(`${up()}${CLEAR_BELOW}`);
      this.leave();
    },
    leave() {
      if (height > 0) show();
      process.off('exit', show);
      height = 0;
    },
  };
}

/** Colours for a stream: none on a pipe, on a dumb terminal and with NO_COLOR; FORCE_COLOR sets them everywhere. */
export const paintOn =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream });

export const plain: Paint = (_, text) => text;
