import { isScreen, paintOn, screenOn } from './screen.ts';
import { folded, widthOf } from './words.ts';

/** How far a task is. */
export interface TaskState {
  /** Part of the task that is done, from 0 to 1; undefined where the end is not known. */
  readonly share: number | undefined;
  /** Short texts that stand beside the bar; empty ones are left out. */
  readonly facts: readonly string[];
}

export interface Progress {
  update(state: TaskState): void;
  /** Shows the trouble for which the task waits; undefined says that the trouble is over. */
  readonly tell: (trouble: string | undefined) => void;
  /** Shows the last state and lets go of the terminal. */
  stop(): void;
}

const LINE_EVERY_MS = 5_000;

/** A task of a command with `--json` shows no progress. */
export const SILENT: Progress = { update: () => undefined, tell: () => undefined, stop: () => undefined };

/** Shows progress on stderr: a bar on a terminal where the share is known, otherwise one line every five seconds. */
export const startProgress = (first: TaskState, stream: NodeJS.WriteStream = process.stderr): Progress =>
  isScreen(stream) && first.share !== undefined ? bar(first, stream) : lines(first, stream);

const joined = (facts: readonly string[]): string => facts.filter((fact) => fact !== '').join(' │ ');

const DRAW_EVERY_MS = 100;
const [SHORTEST_BAR, LONGEST_BAR] = [10, 40];

/** A bar with the facts beside it, and the trouble below it, because the trouble says what the operator has to do. */
function bar(first: TaskState, stream: NodeJS.WriteStream): Progress {
  const screen = screenOn(stream);
  const paint = paintOn(stream);
  let state = first;
  let trouble: string | undefined;
  let drawn = false;
  const draw = (): void => {
    const width = widthOf(stream) ?? 80;
    const share = Math.min(1, state.share ?? 0);
    const facts = ` ${String(Math.floor(share * 100)).padStart(3)}% │ ${joined(state.facts)}`;
    const cells = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, width - facts.length));
    const full = Math.floor(share * cells);
    const line = `${'█'.repeat(full)}${'░'.repeat(cells - full)}${facts}`;
    const told = trouble === undefined ? [] : folded(trouble, width).split('\n');
    screen.draw([...folded(line, width).split('\n'), ...told.map((text) => paint('yellow', text))]);
    drawn = true;
  };
  const timer = setInterval(() => {
    if (!drawn) draw();
  }, DRAW_EVERY_MS).unref();
  draw();
  return {
    update: (next) => {
      state = next;
      drawn = false;
    },
    tell: (next) => {
      trouble = next;
      drawn = false;
    },
    stop: () => {
      clearInterval(timer);
      if (!drawn) draw();
      screen.leave();
    },
  };
}

function lines(first: TaskState, stream: NodeJS.WriteStream): Progress {
  let { share, facts } = first;
  const timer = setInterval(() => {
    const done = share === undefined ? '' : `${Math.floor(share * 100)}%`;
    stream.write(`${joined([done, ...facts])}\n`);
  }, LINE_EVERY_MS);
  timer.unref();
  return {
    update: (state) => ({ share, facts } = state),
    tell: (trouble) => void stream.write(`${trouble ?? 'it goes on'}\n`),
    stop: () => clearInterval(timer),
  };
}
