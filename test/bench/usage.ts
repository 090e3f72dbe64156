import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Of `stat` in /proc: 100 on every Linux (USER_HZ). */
const TICKS_PER_SECOND = 100;

/** The CPU and memory a process has used so far; undefined if the system has no /proc. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
}

export function usageOf(pid: number): Usage | undefined {
  try {
    const fields = statOf(pid);
    if (fields === undefined) return undefined;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      peakRssBytes: Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024,
    };
  } catch {
    return undefined;
  }
}

/** Resets the peak memory of a process (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // A system without /proc has no peak either.
  }
}

/** Where the kernel has groups of processes that share a bound of CPU, and how the bound is written: cgroups of version 1, of version 2. */
const CPU_GROUPS = [
  { directory: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', bound: (us: number) => String(us) },
  { directory: '/sys/fs/cgroup', file: 'cpu.max', bound: (us: number) => `${us} 100000` },
];

const cpuGroup = () => CPU_GROUPS.find(({ directory }) => existsSync(`${directory}/cgroup.procs`));

/** Whether this user may bound the CPU of a process. */
export const mayLimitCpu = (): boolean => process.getuid?.() === 0 && cpuGroup() !== undefined;

/** Gives a process this share of a core. Throws where this user may not. Returns what removes the bound of a process that has ended. */
export function limitCpu(pid: number, cores: number): () => void {
  const place = cpuGroup();
  if (place === undefined) throw new Error('this system has no groups of processes (cgroups)');
  const group = `${place.directory}/databridge-bench-${pid}`;
  mkdirSync(group);
  writeFileSync(`${group}/${place.file}`, place.bound(cores * 100_000));
  writeFileSync(`${group}/cgroup.procs`, String(pid));
  return () => rmdirSync(group);
}

/** CPU seconds of a process and its children, such as the backends of a PostgreSQL, also of children that have ended. */
export function cpuSecondsOfGroup(leader: number): number {
  let seconds = 0;
  for (const pid of childrenOf(leader)) seconds += usageOf(pid)?.cpuSeconds ?? 0;
  const [ended, endedSystem] = statOf(leader)?.slice(13, 15).map(Number) ?? [0, 0];
  return seconds + (usageOf(leader)?.cpuSeconds ?? 0) + ((ended ?? 0) + (endedSystem ?? 0)) / TICKS_PER_SECOND;
}

const childrenOf = (parent: number): number[] =>
  (existsSync('/proc') ? readdirSync('/proc') : [])
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => Number(statOf(pid)?.[1]) === parent);

/** The fields of `stat` behind the name, proc(5); undefined where the process has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** The cores of the whole machine that were busy since this call, with all other processes. */
export function machine(): { busySince(): number } {
  const read = (): { busy: number; total: number } => {
    let busy = 0;
    let total = 0;
    for (const { times } of cpus()) {
      const all = times.user + times.nice + times.sys + times.irq + times.idle;
      busy += all - times.idle;
      total += all;
    }
    return { busy, total };
  };
  const before = read();
  return {
    busySince() {
      const now = read();
      return ((now.busy - before.busy) / Math.max(1, now.total - before.total)) * cpus().length;
    },
  };
}
