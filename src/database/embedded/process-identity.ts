import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process. Its number alone does not, because another process may have that number since. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Its start in the form the system uses; only compared. */
  readonly startedAt: string;
  /** Boot of the machine and namespace of process numbers; a number from another one means nothing here. */
  readonly where: string;
}

const onLinux = process.platform === 'linux';

/** The process with this number; undefined where there is none, or only a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const found = onLinux ? fromProc(pid) : fromPs(pid);
  if (found === undefined || found.state.startsWith('Z') || found.state.startsWith('X')) return undefined;
  return { pid, startedAt: found.startedAt, where: here() };
}

/** Throws where /proc is not mounted, because then no process can be identified. */
export function thisProcess(): ProcessIdentity {
  const found = identifyProcess(process.pid);
  if (found === undefined) throw new Error('this process cannot see itself: /proc is not mounted');
  return found;
}

/** `elsewhere`: noted in another container or before a reboot; its number says nothing about processes here and now. */
export function liveness(noted: ProcessIdentity): 'alive' | 'dead' | 'elsewhere' {
  if (noted.where !== here()) return 'elsewhere';
  return identifyProcess(noted.pid)?.startedAt === noted.startedAt ? 'alive' : 'dead';
}

/** Reads the identity in the text of a file; undefined where the text is torn or no identity. */
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

/** For systems without /proc. Exported only for its test. */
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

let knownNamespace: string | undefined;

function here(): string {
  knownNamespace ??= onLinux
    ? `${orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim())} ${orEmpty(() => readlinkSync('/proc/self/ns/pid'))}`
    : 'here';
  return knownNamespace;
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
