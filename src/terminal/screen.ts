import { styleText } from 'node:util';

/** Colours a piece of text that already has its width; the identity where there are no colours. */
export type Paint = (style: 'dim' | 'bold' | 'green' | 'yellow' | 'red', text: string) => string;

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const CLEAR_LINE = '\u001B[K';
const CLEAR_BELOW = '\u001B[J';

/** The last lines of a terminal, drawn over again in place. */
export interface Screen {
  /** Replaces what was drawn before; each line fits the terminal. */
  draw(lines: readonly string[]): void;
  /** Takes away what was drawn; what is printed next stands in its place. May be called again. */
  clear(): void;
}

/** Draws with one write a frame, so nothing flickers; the cursor is hidden as long as something stands there. */
export function screenOn(stream: NodeJS.WriteStream): Screen {
  let height = 0;
  const up = (): string => (height === 0 ? '' : `\u001B[${height}A\r`);
  return {
    draw(lines) {
      stream.write(`${HIDE_CURSOR}${up()}${lines.map((line) => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`);
      height = lines.length;
    },
    clear() {
      if (height > 0) stream.write(`${up()}${CLEAR_BELOW}${SHOW_CURSOR}`);
      height = 0;
    },
  };
}

/** Colours as far as the stream shows any; respects NO_COLOR. */
export const paintOn =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream });

export const plain: Paint = (_, text) => text;
