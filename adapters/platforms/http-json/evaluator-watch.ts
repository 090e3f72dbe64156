/** The thread of an evaluator that ends its process where a question takes too much. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { LastWords } from './evaluating.ts';

/** What the thread is told when it starts. */
export interface Watching {
  /** The step under way with 1 added to it, 0 between questions; and the processor time at its beginning, in milliseconds. */
  readonly cell: Int32Array;
  /** The process that the evaluator belongs to. */
  readonly parent: number;
  readonly evaluatingMs: number;
  readonly parsingMs: number;
  readonly mostBytes: number;
}

const LOOK_MS = 20;
const IDLE_MS = 1_000;

const { cell, parent, evaluatingMs, parsingMs, mostBytes } = workerData as Watching;
const pause = new Int32Array(new SharedArrayBuffer(4));

for (;;) {
  Atomics.wait(cell, 0, 0, IDLE_MS);
  // A bridge that was killed closes the pipes, which an evaluator in a loop does not notice.
  if (process.ppid !== parent) end();
  const step = Atomics.load(cell, 0) - 1;
  if (step < 0) continue;
  const { user, system } = process.cpuUsage();
  const used = (user + system) / 1000 - Atomics.load(cell, 1);
  if (process.memoryUsage.rss() > mostBytes) end({ step, why: 'memory' });
  if (used > (step === 0 ? parsingMs : evaluatingMs)) end({ step, why: 'time' });
  Atomics.wait(pause, 0, 0, LOOK_MS);
}

function end(words?: LastWords): void {
  if (words !== undefined) writeSync(2, `${JSON.stringify(words)}\n`);
  process.kill(process.pid, 'SIGKILL');
}
