import { pino } from 'pino';
import type { Logger } from 'pino';

/** JSON on a pipe, readable lines on a terminal. Always to stderr, because stdout holds the output of commands. */
export async function openLog(level: string, terminal: boolean): Promise<Logger> {
  const stream = terminal
    ? (await import('pino-pretty')).default({
        destination: 2,
        sync: true,
        ignore: 'pid,hostname',
        translateTime: "UTC:HH:MM:ss.l'Z'",
        singleLine: true,
      })
    : pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null }, stream);
}
