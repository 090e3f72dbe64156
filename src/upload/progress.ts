import { formatBytes } from '../core/bytes.ts';
import cliProgress from 'cli-progress';
import { grouped, short } from '../terminal/words.ts';

/** How far a push is. */
export interface Far {
  /** Bytes of the input. */
  readonly bytes: number;
  readonly readings: number;
  readonly refused: number;
}

export interface Progress {
  update(far: Far): void;
  /** Tells what is waited for, and with undefined that it goes on. */
  readonly tell: (what: string | undefined) => void;
  stop(): void;
}

const LINES_EVERY_MS = 5_000;

const SILENT: Progress = { update: () => undefined, tell: () => undefined, stop: () => undefined };

/** A bar on a terminal where the size is known, otherwise a line every few seconds; nothing beside `--json`. On stderr. */
export function startProgress({
  size,
  json,
  from,
}: {
  readonly size: number | undefined;
  readonly json: boolean;
  readonly from: Far;
}): Progress {
  if (json) return SILENT;
  return process.stderr.isTTY && size !== undefined ? bar(size, from) : lines(size, from);
}

/** Readings a second in this run; a resumed one does not count what was sent before. */
function paceOf(far: Far, begun: { readonly at: number; readonly readings: number }): string {
  const seconds = Math.max(0.001, (performance.now() - begun.at) / 1000);
  return grouped(Math.round((far.readings - begun.readings) / seconds));
}

function bar(size: number, from: Far): Progress {
  const shown = new cliProgress.SingleBar(
    {
      format: '{bar} {percentage}% │ {done} │ {readings} readings, {pace}/s │ {refused} refused {note}',
      hideCursor: true,
      clearOnComplete: false,
    },
    cliProgress.Presets.shades_classic,
  );
  const begun = { at: performance.now(), readings: from.readings };
  shown.start(Math.max(1, size), 0, { done: '', readings: 0, pace: 0, refused: 0, note: '' });
  return {
    update: (far) =>
      shown.update(Math.min(far.bytes, size), {
        done: formatBytes(far.bytes),
        readings: grouped(far.readings),
        pace: paceOf(far, begun),
        refused: grouped(far.refused),
      }),
    tell: (what) => shown.update({ note: what === undefined ? '' : `│ ${short(what, 80)}` }),
    stop: () => shown.stop(),
  };
}

function lines(size: number | undefined, from: Far): Progress {
  let far = from;
  const begun = { at: performance.now(), readings: from.readings };
  const print = (): void => {
    const of = size === undefined ? '' : ` of ${formatBytes(size)}`;
    const words = [
      `${formatBytes(far.bytes)}${of}`,
      `${grouped(far.readings)} readings, ${paceOf(far, begun)}/s`,
      `${grouped(far.refused)} refused`,
    ];
    process.stderr.write(`${words.join(' │ ')}\n`);
  };
  const timer = setInterval(print, LINES_EVERY_MS);
  timer.unref();
  return {
    update: (now) => (far = now),
    tell: (what) => process.stderr.write(what === undefined ? 'it goes on\n' : `${what}\n`),
    stop: () => clearInterval(timer),
  };
}
