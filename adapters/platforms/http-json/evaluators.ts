import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { BridgeError, tooCostly, tooMuch } from '../../../src/core/errors.ts';
import { framed, messages, STEPS } from './evaluating.ts';
import type { LastWords, Evaluation, Reply } from './evaluating.ts';
import { Turns } from './turns.ts';

/** Evaluators at a time. Below two, an answer that loops would keep all others waiting. */
const MOST = Math.min(4, Math.max(2, availableParallelism()));

/** An evaluator that had nothing to do for so long ends. */
const IDLE_MS = 60_000;

/** The most memory of the objects of an evaluator, in megabytes; the whole process has a bound of its own (evaluator.ts). */
const MOST_OBJECTS_MB = 768;

/** Which one is compiled: Node.js runs the source as it is, and the package has JavaScript. */
const FILE = join(import.meta.dirname, `evaluator${extname(import.meta.filename)}`);

type Process = ChildProcessByStdio<Writable, Readable, Readable>;

interface Task {
  readonly question: Evaluation;
  readonly bytes: Uint8Array;
  readonly end: (outcome: Reply | BridgeError) => void;
}

interface Evaluator {
  readonly process: Process;
  readonly idle: NodeJS.Timeout;
  task: { readonly source: string; readonly task: Task } | undefined;
  words: string;
}

const turns = new Turns<Task>(MOST);
const evaluators = new Set<Evaluator>();

/**
 * What an evaluator finds in the answer of a platform. Answers of one `source` are evaluated one after the other, and sources take turns.
 * Throws what the evaluation of the answer threw; a SyntaxError where it is no JSON; `too-costly` where an expression took too much;
 * `too-much` where the answer is too long to be parsed.
 */
export async function evaluated<Found>(
  question: Evaluation,
  bytes: Uint8Array,
  { source, signal }: { readonly source: string; readonly signal?: AbortSignal },
): Promise<Found> {
  const stopped = (): BridgeError => new BridgeError({ code: 'cancelled' }, 'cancelled');
  if (signal?.aborted) throw stopped();
  const { promise, resolve } = Promise.withResolvers<Reply | BridgeError>();
  const task: Task = { question, bytes, end: resolve };
  const stop = (): void => {
    turns.drop(source, task);
    resolve(stopped());
  };
  signal?.addEventListener('abort', stop, { once: true });
  turns.add(source, task);
  begin();
  try {
    const reply = await promise;
    if (reply instanceof BridgeError) throw reply;
    if ('syntax' in reply) throw new SyntaxError(reply.syntax);
    if ('fault' in reply) throw new BridgeError(reply.fault, reply.message, { remedy: reply.remedy });
    return reply.found as Found;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Gives waiting answers to evaluators that are free, or may be started. */
function begin(): void {
  for (;;) {
    const free = [...evaluators].find(({ task }) => task === undefined);
    const busy = [...evaluators].filter(({ task }) => task !== undefined).length;
    const next = turns.next(MOST - busy);
    if (next === undefined) return;
    const evaluator = free ?? started();
    if (evaluator !== undefined) give(evaluator, next.source, next.item);
    else {
      turns.done(next.source, { milliseconds: 0, bytes: next.item.bytes.length }, true);
      next.item.end(new BridgeError({ code: 'bug' }, 'this host has no room for a process that evaluates expressions'));
    }
  }
}

function give(evaluator: Evaluator, source: string, task: Task): void {
  evaluator.task = { source, task };
  hold(evaluator, true);
  const { question, bytes } = task;
  for (const part of framed(serialize(question), bytes)) evaluator.process.stdin.write(part);
}

/** Undefined where the host has no room for another process or pipe. */
function started(): Evaluator | undefined {
  // Nothing of the environment, which holds secrets; the zone of local times is no secret.
  const env = process.env.TZ === undefined ? {} : { TZ: process.env.TZ };
  const child: Process = spawn(process.execPath, [`--max-old-space-size=${MOST_OBJECTS_MB}`, FILE], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // Without descriptors Node.js makes no pipes, and tells the error later.
  if ((child as Partial<Process>).stdout === undefined) {
    child.once('error', () => undefined);
    return undefined;
  }
  const idle = setTimeout(() => {
    if (evaluator.task === undefined) end(evaluator);
  }, IDLE_MS).unref();
  const evaluator: Evaluator = { process: child, idle, task: undefined, words: '' };
  evaluators.add(evaluator);
  child.stdout.on(
    'data',
    messages((head) => replied(evaluator, head)),
  );
  child.stderr.on('data', (text: Buffer) => {
    evaluator.words = `${evaluator.words}${text.toString()}`.slice(-4_000);
  });
  // A pipe that breaks belongs to a process that ended, which `close` tells.
  child.stdin.on('error', () => undefined);
  child.once('error', (error) => gone(evaluator, error));
  child.once('close', () => gone(evaluator));
  return evaluator;
}

function end(evaluator: Evaluator): void {
  evaluators.delete(evaluator);
  evaluator.process.kill('SIGKILL');
}

/** An evaluator at work keeps the process of the bridge alive, and one without work does not. */
function hold({ process: child }: Evaluator, isHeld: boolean): void {
  const pipes = [child.stdin, child.stdout, child.stderr] as unknown as NodeJS.RefCounted[];
  for (const one of [child, ...pipes]) {
    if (isHeld) one.ref();
    else one.unref();
  }
}

function replied(evaluator: Evaluator, head: Buffer): void {
  const reply = deserialize(head) as Reply;
  const { task } = evaluator;
  evaluator.task = undefined;
  evaluator.idle.refresh();
  hold(evaluator, false);
  if (task !== undefined) {
    const { source, task: ended } = task;
    turns.done(source, { milliseconds: reply.milliseconds, bytes: ended.bytes.length }, false);
    ended.end(reply);
  }
  // What the answer left in memory must not count against the next one.
  if (reply.isFull) end(evaluator);
  begin();
}

/** The process ended: it took too much, or could not be started. */
function gone(evaluator: Evaluator, error?: Error): void {
  clearTimeout(evaluator.idle);
  evaluators.delete(evaluator);
  const { task } = evaluator;
  evaluator.task = undefined;
  if (task !== undefined) {
    const { source, task: ended } = task;
    turns.done(source, { milliseconds: LIMIT_MS, bytes: ended.bytes.length }, true);
    ended.end(
      error === undefined
        ? faultOf(evaluator.words, source, ended)
        : new BridgeError({ code: 'bug' }, `the process for expressions did not start: ${error.message}`),
    );
  }
  begin();
}

/** What an evaluator may take for an answer, as it says itself. */
const LIMIT_MS = 1_000;

/** The fault of an answer whose evaluator ended. One that ran out of memory has no last words. */
function faultOf(words: string, source: string, { question, bytes }: Task): BridgeError {
  const found = /^\{"step":.*\}$/m.exec(words)?.[0];
  const { step, why } = found === undefined ? { step: undefined, why: 'memory' } : (JSON.parse(found) as LastWords);
  const size = bytes.length < 1e6 ? `${Math.ceil(bytes.length / 1e3)} kB` : `${(bytes.length / 1e6).toFixed(1)} MB`;
  if (step === 0) return tooMuch(`an answer of ${size} took too much ${why} to be parsed`);
  const option =
    step === undefined ? Object.entries(question.codes).find(([, code]) => code !== undefined)?.[0] : STEPS[step];
  const took = why === 'memory' ? 'more memory than it may have' : `more than ${LIMIT_MS / 1000} s of computing`;
  const path = `options.${option}`;
  return tooCostly(
    `${path}: took ${took} on an answer of ${size}`,
    path,
    turns.isExplained(source, { milliseconds: LIMIT_MS, bytes: bytes.length }),
  );
}
