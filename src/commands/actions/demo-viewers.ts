import { MILLISECOND } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { boardHeading, boardLine } from '../../demo/board.ts';
import { roughly } from '../../terminal/words.ts';
import { introduction, whatNext } from '../../demo/guide.ts';
import type { BoardRow } from '../../demo/observe.ts';
import type { Plant } from '../../demo/plants.ts';
import { paintOn, plain, screenOn } from '../../terminal/screen.ts';
import type { Audience } from '../../demo/run.ts';
import { printLine } from '../../terminal/output.ts';

/** Shows a demo while it runs. */
interface Viewer extends Audience {
  /** Clears the part of the screen that is drawn again and again. */
  leaves(): void;
}

const now = (): Instant => Date.now() * MILLISECOND;

const nothing = (): void => undefined;

/** Shows nothing, for `--json`. */
export const silentViewer: Viewer = {
  lookEveryMs: 1_000,
  begins: nothing,
  shows: nothing,
  ends: nothing,
  leaves: nothing,
};

/** Draws in place, twice a second. The commands to copy stand above the drawing and are printed once. */
export function terminalViewer(home: string, plants: readonly Plant[], length: Microseconds | undefined): Viewer {
  const paint = paintOn(process.stdout);
  const screen = screenOn(process.stdout);
  const widthNow = (): number => Math.min(process.stdout.columns ?? 80, 100);
  const say = (text: string): void => {
    screen.draw([paint('dim', text)]);
  };
  for (const line of introduction(plants, paint)) printLine(line);
  say('Starting the plants and a PostgreSQL …');
  let board: readonly string[] = [];
  return {
    lookEveryMs: 500,
    begins(door) {
      screen.clear();
      for (const line of whatNext(home, plants, door, paint)) printLine(line);
      say('Looking for sensors …');
    },
    shows(rows, ran) {
      const given = { width: widthNow(), now: now(), paint };
      const clock = length === undefined ? roughly(ran) : `${roughly(ran)} of ${roughly(length)}`;
      board = [boardHeading(given.width, paint), ...rows.map((row) => boardLine(row, given)), ''];
      screen.draw([...board, paint('dim', `${clock} · Ctrl-C ends it · ${phaseOf(rows)}`.slice(0, given.width))]);
    },
    ends() {
      screen.draw([...board, paint('dim', 'Stopping, then comparing every reading with the records of the plants …')]);
    },
    leaves: () => {
      screen.clear();
    },
  };
}

const phaseOf = (rows: readonly BoardRow[]): string =>
  rows.every(({ history }) => history >= 1)
    ? 'two days of history are complete'
    : 'newest first, then two days of history';

/** The longest time is like `59m59s`. */
const TIME_WIDTH = 6;

/** Prints a line for each source every five seconds. */
export function pipeViewer(home: string, plants: readonly Plant[]): Viewer {
  for (const line of introduction(plants, plain)) printLine(line);
  return {
    lookEveryMs: 5_000,
    begins(door) {
      for (const line of whatNext(home, plants, door, plain)) printLine(line);
      printLine(`${'time'.padEnd(TIME_WIDTH)}  ${boardHeading(Infinity, plain)}`);
    },
    shows(rows, ran) {
      for (const row of rows) {
        printLine(
          `${roughly(ran).padEnd(TIME_WIDTH)}  ${boardLine(row, { width: Infinity, now: now(), paint: plain })}`,
        );
      }
    },
    ends: () => {
      printLine();
    },
    leaves: nothing,
  };
}
