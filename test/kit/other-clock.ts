import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * The library of `faketime`, wherever the loader finds it. Its program would stand between this process and its child, and pass no signal
 * on. Timers go on as they are; only the time of day is another one.
 */
export const OTHER_CLOCK = { LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };

/** Removes what the library leaves where a process ends by a signal. */
export async function forgetOtherClock(pid: number | undefined): Promise<void> {
  for (const left of ['faketime_shm', 'sem.faketime_sem']) await rm(`/dev/shm/${left}_${pid}`, { force: true });
}

/** The command that starts a program with the clock that the file at `path` names at each look. */
export const withClockIn = (path: string): readonly string[] => [
  'env',
  ...Object.entries({ ...OTHER_CLOCK, FAKETIME_TIMESTAMP_FILE: path, FAKETIME_NO_CACHE: '1' }).map((pair) =>
    pair.join('='),
  ),
];

/** Writes such a file, as `faketime` has clocks: `+5s`. No reader sees half of it. */
export async function setClock(path: string, clock: string): Promise<void> {
  await writeFile(`${path}.new`, clock);
  await rename(`${path}.new`, path);
}
