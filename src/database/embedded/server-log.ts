import {
  closeSync,
  constants,
  copyFileSync,
  fchownSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';
import type { EmbeddedPlace } from './place.ts';
import { weAreRoot } from './account.ts';

type Logged = Pick<EmbeddedPlace, 'log' | 'account'>;

const LARGEST_BYTES = 8 * 1_048_576;
const TAIL_BYTES = 4_096;
const TAIL_LINES = 12;

/** Opens the log for the server to append to; not through a symbolic link, because another user may own the directory. */
export function openServerLog({ log, account }: Logged): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = openSync(log, flags, 0o600);
  if (weAreRoot() && account !== undefined) fchownSync(file, account.uid, account.gid);
  return file;
}

/** Size of the log in bytes; 0 where there is none. */
export function logSize({ log }: Logged): number {
  return statSync(log, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Keeps the log below 8 MiB and one older piece of it as `server.log.1`. The server goes on appending to the same file, so
 * it is emptied and not replaced; a line written between copy and emptying is lost.
 */
export function boundLog(place: Logged): void {
  if (logSize(place) < LARGEST_BYTES) return;
  copyFileSync(place.log, `${place.log}.1`);
  truncateSync(place.log);
}

/** The last lines of the log, at most those after byte `from`. */
export function tailOfLog(place: Logged, from = 0): string {
  const size = logSize(place);
  if (size === 0) return '';
  const start = Math.max(from > size ? 0 : from, size - TAIL_BYTES);
  const file = openSync(place.log, 'r');
  try {
    const buffer = Buffer.alloc(fstatSync(file).size - start);
    const bytes = readSync(file, buffer, 0, buffer.length, start);
    return buffer.toString('utf8', 0, bytes).trim().split('\n').slice(-TAIL_LINES).join('\n');
  } finally {
    closeSync(file);
  }
}
