import cliProgress from 'cli-progress';
import { short } from './words.ts';

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
const LONGEST_NOTE = 80;

/** A task of a command with `--json` shows no progress. */
export const SILENT: Progress = { update: () => undefined, tell: () => undefined, stop: () => undefined };

/** Shows progress on stderr: a bar on a terminal where the share is known, otherwise one line every five seconds. */
export const startProgress = (first: TaskState, stream: NodeJS.WriteStream = process.stderr): Progress =>
  stream.isTTY && first.share !== undefined ? bar(first, stream) : lines(first, stream);

const joined = (facts: readonly string[]): string => facts.filter((fact) => fact !== '').join(' │ ');

/** The bar counts thousandths, because a percent of a large task takes minutes. */
function bar(first: TaskState, stream: NodeJS.WriteStream): Progress {
  const shown = new cliProgress.SingleBar(
    { stream, format: '{bar} {percentage}% │ {facts}{note}', hideCursor: true, clearOnComplete: false },
    cliProgress.Presets.shades_classic,
  );
  const thousandths = ({ share = 0 }: TaskState): number => Math.floor(Math.min(1, share) * 1000);
  shown.start(1000, thousandths(first), { facts: joined(first.facts), note: '' });
  return {
    update: (state) => shown.update(thousandths(state), { facts: joined(state.facts) }),
    tell: (trouble) => shown.update({ note: trouble === undefined ? '' : ` │ ${short(trouble, LONGEST_NOTE)}` }),
    stop: () => shown.stop(),
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
