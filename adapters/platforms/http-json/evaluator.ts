/**
 * A process that evaluates the expressions of one answer after the other, because an expression may loop, or take all memory of the
 * process that evaluates it. It reads questions from its standard input and writes replies to its standard output (evaluating.ts).
 * A thread beside it ends the process where a question takes too much, and says so on the standard error output.
 */
import { extname, join } from 'node:path';
import { serialize, deserialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { asBridgeError, contractBroken, tooMuch } from '../../../src/core/errors.ts';
import { parsedBody } from './document.ts';
import { STEPS, framed, messages } from './evaluating.ts';
import type { Evaluation, Reply, Spent, ExpressionOption } from './evaluating.ts';
import type { Watching } from './evaluator-watch.ts';
import { foundIn } from './page.ts';
import { decoded } from '../../../src/platform/connection/charset.ts';

/** The most time of the processor that the expressions of an answer get together. */
const EVALUATING_MS = 1_000;

/** The most that parsing an answer gets. It depends on the length of the answer alone. */
const PARSING_MS = 10_000;

/** The most memory of the process. */
const MOST_BYTES = 1_000_000_000;

/** With more memory than this after an answer the process is ended. */
const MOST_KEPT = 300_000_000;

/** The longest reply, so that reading it keeps the event loop of the bridge for a moment only. */
const LONGEST_REPLY = 16_000_000;

/** The step under way with 1 added to it, 0 between questions; and the processor time at its beginning, in milliseconds. */
const cell = new Int32Array(new SharedArrayBuffer(8));

const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return Math.floor((user + system) / 1000);
};

/** Notes the beginning of a step. The clock begins with parsing, and once more with the first expression. */
function begin(step: ExpressionOption): void {
  const place = STEPS.indexOf(step);
  const before = Atomics.load(cell, 0) - 1;
  if (before <= 0) Atomics.store(cell, 1, usedMs());
  Atomics.store(cell, 0, place + 1);
  if (before < 0) Atomics.notify(cell, 0);
}

async function replyTo(question: Evaluation, bytes: Buffer): Promise<Buffer> {
  begin('answer.body');
  const since = Atomics.load(cell, 1);
  const done = (): Spent => ({ milliseconds: usedMs() - since, isFull: process.memoryUsage.rss() > MOST_KEPT });
  try {
    const text = decoded(bytes, question.charset);
    const document = parsedBody(text, question);
    const found = await foundIn(document, question, begin);
    const reply = serialised({ found, ...done() });
    if (reply.length > LONGEST_REPLY) throw tooMuch(`an answer has points of ${reply.length} bytes`);
    return reply;
  } catch (error) {
    if (error instanceof SyntaxError) return serialize({ syntax: error.message, ...done() } satisfies Reply);
    const { fault, message, remedy } = asBridgeError(error);
    return serialize({ fault, message, remedy, ...done() } satisfies Reply);
  }
}

function serialised(reply: Reply): Buffer {
  try {
    return serialize(reply);
  } catch {
    throw contractBroken('an expression gives what is no data, such as a function');
  }
}

/** Questions come one at a time, so each reply belongs to the one before it. */
async function answer(head: Buffer, bytes: Buffer): Promise<void> {
  const question = deserialize(head) as Evaluation;
  const reply = await replyTo(question, bytes);
  Atomics.store(cell, 0, 0);
  for (const part of framed(reply, NO_BYTES)) process.stdout.write(part);
}

const NO_BYTES = new Uint8Array();

new Worker(join(import.meta.dirname, `evaluator-watch${extname(import.meta.filename)}`), {
  workerData: {
    cell,
    parent: process.ppid,
    evaluatingMs: EVALUATING_MS,
    parsingMs: PARSING_MS,
    mostBytes: MOST_BYTES,
  } satisfies Watching,
});
// The bridge ends its evaluators itself: Ctrl-C reaches all processes of a terminal, and a page under way is still wanted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.stdin.on(
  'data',
  messages((head, bytes) => void answer(head, bytes)),
);
process.stdin.once('end', () => process.exit());
