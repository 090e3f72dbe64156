import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** A process beyond doubt: its number alone may have been given to another one since. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in whatever form the system tells; only ever compared. */
  readonly startedAt: string;
  /** Boot of the machine and space of process numbers; numbers from elsewhere mean nothing here. */
  readonly where: string;
}

const onLinux = process.platform === 'linux';

/** The process with this number; undefined where there is none, or only its unburied remains (a zombie). */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const found = onLinux ? fromProc(pid) : fromPs(pid);
  if (found === undefined || found.state.startsWith('Z') || found.state.startsWith('X')) return undefined;
  return { pid, startedAt: found.startedAt, where: here() };
}

/** Throws where the system hides this process from itself (no /proc): nothing below could be trusted then. */
export function thisProcess(): ProcessIdentity {
  const found = identifyProcess(process.pid);
  if (found === undefined) throw new Error('this process cannot see itself: /proc is not mounted');
  return found;
}

/** `elsewhere`: noted in another container or before a reboot; its number says nothing about a process of today. */
export function liveness(noted: ProcessIdentity): 'alive' | 'dead' | 'elsewhere' {
  if (noted.where !== here()) return 'elsewhere';
  return identifyProcess(noted.pid)?.startedAt === noted.startedAt ? 'alive' : 'dead';
}

/** A note as read from a file; undefined where it is torn or not one. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, startedAt, where } = JSON.parse(text) as Record<string, unknown>;
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof where !== 'string') return undefined;
    return { pid, startedAt, where };
  } catch {
    return undefined;
  }
}

interface Found {
  readonly state: string;
  readonly startedAt: string;
}

/** proc(5): after the name in parentheses come state (field 3) and, as field 22, the start in ticks since boot. */
function fromProc(pid: number): Found | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
  } catch {
    return undefined;
  }
}

/** For systems without /proc. Exported for its test alone. */
export function fromPs(pid: number): Found | undefined {
  try {
    const options = {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: 'pipe',
    } as const;
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], options).trim();
    const [state, ...startedAt] = line.split(/\s+/);
    return state === undefined || state === '' ? undefined : { state, startedAt: startedAt.join(' ') };
  } catch {
    return undefined;
  }
}

let place: string | undefined;

function here(): string {
  place ??= onLinux
    ? `${tryTo(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim())} ${tryTo(() => readlinkSync('/proc/self/ns/pid'))}`
    : 'here';
  return place;
}

function tryTo(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
