import { expect, it } from 'vitest';
import { valuesIn } from '../../adapters/platforms/http-json/ask.ts';
import { expression } from '../../adapters/platforms/http-json/expression.ts';
import { redactorFor } from '../../src/platform/connection/redaction.ts';

// Nothing that an operator's file or a platform's answer says may hold the event loop for over 100 ms.

const LONGEST_MS = 100;

/**
 * The longest stretch, in milliseconds, that the event loop could not interrupt while `work` ran. It is the processor time of this
 * thread between two turns of the loop: time in which another process had the processor does not count, so a busy machine
 * changes nothing.
 */
async function longestStretch(work: () => unknown): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const watch = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(watch);
  };
  // One turn as a whole goes before, and the last one is counted, too.
  await new Promise<void>((resolve) => setImmediate(resolve));
  watch();
  await Promise.resolve(work()).catch(() => undefined);
  await new Promise<void>((resolve) => setImmediate(resolve));
  isOver = true;
  return longest;
}

const evaluate = (code: string, document: unknown): Promise<unknown> => valuesIn(document, { 'answer.points': code });
const parse = (code: string): unknown => expression('Any.').safeParse(code);
const redact = (text: string): string => redactorFor({ password: 'open sesame' }).redact(text);

const CORPUS: readonly (readonly [name: string, work: () => unknown])[] = [
  ['an expression that loops', () => evaluate('($f := function($n) { $f($n + 1) }; $f(0))', {})],
  ['a regular expression that backtracks', () => evaluate('$match(t, /^(a+)+$/)', { t: `${'a'.repeat(40)}b` })],
  ['an expression that fills the memory', () => evaluate('$base64encode($pad("x", 400000000))', {})],
  ['an expression of many steps', () => parse(`a${'.a'.repeat(1_999)}`)],
  ['an expression of as many steps as there may be', () => parse(`a${'.a'.repeat(200)}`)],
  ['an expression of many brackets', () => parse('['.repeat(4_000))],
  ['an expression of many parents', () => parse(`a.b${'.%'.repeat(198)}`)],
  ['a page of names of secrets', () => redact('token-'.repeat(16_000))],
  ['a page of half a token', () => redact('eyJ-'.repeat(25_000))],
];

it.each(CORPUS)(
  'holds the event loop for a moment only: %s',
  async (_, work) => {
    // What the first call compiles and loads is no matter of the input.
    await evaluate('a', { a: 1 });
    parse('a');
    redact('a');
    expect(await longestStretch(work)).toBeLessThan(LONGEST_MS);
  },
  120_000,
);
