import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { BridgeError } from '../core/errors.ts';
import { interruptedBy } from './output.ts';

/** Questions to an operator at a terminal, one a line. Each throws `cancelled` after Ctrl-C and at the end of the input. */
export interface Questions {
  /** Ends with Ctrl-C, for work between two questions. */
  readonly signal: AbortSignal;
  readonly tell: (line?: string) => void;
  /** Text of one line. `fault` says why an answer cannot be; the question is then asked again. An empty answer is `otherwise`. */
  text(
    question: string,
    given?: { readonly otherwise?: string; readonly fault?: (answer: string) => string | undefined },
  ): Promise<string>;
  /** Text that is not shown while it is typed; with `exact` spaces around it belong to it. */
  hidden(question: string, given?: { readonly exact?: boolean }): Promise<string>;
  /** One of some choices, by its number or its text; the first one for an empty answer. */
  choose(question: string, choices: readonly Choice[]): Promise<string>;
  /** Gives the terminal back. */
  close(): void;
}

interface Choice {
  readonly value: string;
  readonly label?: string;
}

/** `node:readline` and no package, because lines are enough: numbers choose, and a terminal reader reads them aloud. */
export function askAt(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  {
    terminal = true,
    undone = 'no file was written',
  }: {
    readonly terminal?: boolean;
    /** The state after an interruption. */
    readonly undone?: string;
  } = {},
): Questions {
  let muted = false;
  const shown = new Writable({
    write(chunk: Buffer, _, done) {
      if (!muted) output.write(chunk);
      done();
    },
  });
  const ended = new AbortController();
  const lines = createInterface({ input, output: shown, terminal, historySize: 0 });
  let closed = false;
  const end = (): void => {
    if (!closed) interruptedBy('SIGINT');
    ended.abort();
  };
  lines.on('SIGINT', end).on('close', end);
  const tell = (line = ''): void => {
    output.write(`${line}\n`);
  };

  async function ask(prompt: string): Promise<string> {
    try {
      return await lines.question(prompt, { signal: ended.signal });
    } catch (cause) {
      throw ended.signal.aborted ? new BridgeError({ code: 'cancelled' }, `interrupted: ${undone}`, { cause }) : cause;
    }
  }

  async function text(question: string, { otherwise, fault }: Parameters<Questions['text']>[1] = {}): Promise<string> {
    for (;;) {
      const typed = (await ask(`${question}${otherwise ? ` [${otherwise}]` : ''}: `)).trim();
      const answer = typed === '' ? (otherwise ?? '') : typed;
      const wrong = fault?.(answer);
      if (wrong === undefined) return answer;
      tell(`  ${wrong}`);
    }
  }

  return {
    signal: ended.signal,
    tell,
    text,
    async hidden(question, { exact = false } = {}) {
      output.write(`${question} (not shown): `);
      muted = true;
      try {
        const typed = await ask('');
        return exact ? typed : typed.trim();
      } finally {
        muted = false;
        tell();
      }
    },
    async choose(question, choices) {
      tell(question);
      for (const [place, { value, label }] of choices.entries()) tell(`  ${place + 1}  ${label ?? value}`);
      const meant = (answer: string): Choice | undefined =>
        choices.find(({ value }, place) => answer === value || answer === String(place + 1));
      const fault = (answer: string): string | undefined =>
        meant(answer) === undefined ? `give a number from 1 to ${choices.length}` : undefined;
      return meant(await text('number', { otherwise: '1', fault }))?.value ?? '';
    },
    close: () => {
      closed = true;
      lines.close();
    },
  };
}
