import { pino } from 'pino';
import type { Logger } from 'pino';

const ESCAPED = /\\(?:u00[01][\da-f]|.)|[\u007f-\u009f\u2028\u2029]/g;

/**
 * A line of JSON whose texts show their control characters written out, as `\u001b`, so that none changes the terminal. Line breaks
 * and tabulators stay, because stacks have them.
 */
const withoutControls = (line: string): string =>
  line.replaceAll(ESCAPED, (one) => {
    if (one.length === 1) return String.raw`\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return one.length > 2 || /[bfr]/.test(one) ? `\\${one}` : one;
  });

/** JSON on a pipe, readable lines on a terminal. Always to stderr, because stdout holds the output of commands. */
export async function openLog(level: string, terminal: boolean): Promise<Logger> {
  if (!terminal) return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const stream = (await import('pino-pretty')).default({
    destination: 2,
    sync: true,
    ignore: 'pid,hostname',
    translateTime: "UTC:HH:MM:ss.l'Z'",
    singleLine: true,
    // The library escapes line breaks in fields, and not in the message.
    messageFormat: (line, key) => ((line[key] ?? '') as string).replaceAll('\n', String.raw`\n`),
  });
  return pino({ level, base: null, hooks: { streamWrite: withoutControls } }, stream);
}
