import { expect, it } from 'vitest';
import { exitCodeOf } from '../../terminal/output.ts';
import { interruptible } from './stop.ts';

/** Work that lasts until its signal aborts. */
const lasting = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

/** Tells the newest listener alone, because the runner of the tests listens, too. */
const send = (signal: NodeJS.Signals): void => {
  const newest = process.listeners(signal).at(-1) as ((name: NodeJS.Signals) => void) | undefined;
  newest?.(signal);
};

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a command that %s ends says what holds now, and its exit code is %i', async (signal, code) => {
  const before = process.listenerCount(signal);
  let done = 0;
  const ended = interruptible(() => `${done} of 3 applied`, lasting).catch((error: unknown) => error);
  done = 2;
  send(signal);
  const error = await ended;
  expect(error).toMatchObject({ code: 'cancelled', message: 'interrupted: 2 of 3 applied' });
  expect(exitCodeOf(error)).toBe(code);
  expect(process.listenerCount(signal)).toBe(before);
});

it('work that is done in spite of the signal is done, and a fault without one stays a fault', async () => {
  const done = interruptible('nothing was saved', async () => {
    send('SIGINT');
    return 7;
  });
  expect(await done).toBe(7);
  await expect(interruptible('nothing was saved', () => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
});
