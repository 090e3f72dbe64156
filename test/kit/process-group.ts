import { readdirSync, readFileSync } from 'node:fs';

/**
 * Whether any process of the group lives. A process that has ended and was not collected yet does not live, because in a
 * container whose first process collects no orphans it stays for ever.
 */
export function groupLives(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false;
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && livesInGroup(entry, leader));
}

/** Sends a signal to all processes of the group; false when there is none. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** See proc(5), `stat`: after the name in brackets come the state, the parent and the group. */
function livesInGroup(pid: string, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leader && !'ZX'.includes(state);
  } catch {
    return false;
  }
}
