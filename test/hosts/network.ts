import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startProcess } from '../kit/process.ts';

const SLOW_LINE = join(import.meta.dirname, 'slow-line.ts');

/** The hosts of a network, each a network namespace of the kernel with an address of its own, around one switch. */
export interface Network {
  readonly addressOf: (host: string) => string;
  /** The command that starts a process on a host. */
  readonly enter: (host: string) => readonly string[];
  /** The host is there, and no packet comes or goes. */
  cut(host: string): void;
  join(host: string): void;
  /** The host hears the others, and they do not hear it. */
  mute(host: string, towards: readonly string[]): void;
  unmute(host: string, towards: readonly string[]): void;
  /** So many in a hundred packets that the host sends are lost. Needs `nft`. */
  lose(host: string, percent: number): void;
  keep(host: string): void;
  /** Each packet to and from the host takes so long, ms, as over a long line. Needs `socat`. Resolves with what ends it. */
  delay(host: string, leastMs: number, mostMs: number): Promise<() => Promise<void>>;
}

const ip = (...args: readonly string[]): void => void execFileSync('ip', args, { stdio: 'pipe' });

const namespaceOf = (prefix: string, host: string): string => `${prefix}-${host}`;

/** A network that `makeNetwork` has made with this prefix and these hosts. */
export function networkOf(prefix: string, hosts: readonly string[]): Network {
  const addressOf = (host: string): string => `10.77.0.${hosts.indexOf(host) + 1}`;
  const on = (host: string, ...args: readonly string[]): void => ip('-n', namespaceOf(prefix, host), ...args);
  const hasDevices = (...devices: readonly string[]): boolean => {
    for (const device of devices) on('switch', 'link', 'show', device);
    return true;
  };
  const filter = (host: string, rule: string): void =>
    ip('netns', 'exec', namespaceOf(prefix, host), 'nft', ...rule.split(' '));
  return {
    addressOf,
    enter: (host) => ['ip', 'netns', 'exec', namespaceOf(prefix, host)],
    cut: (host) => on(host, 'link', 'set', 'line', 'down'),
    join: (host) => on(host, 'link', 'set', 'line', 'up'),
    mute: (host, towards) => {
      for (const other of towards) on(host, 'route', 'add', 'blackhole', `${addressOf(other)}/32`);
    },
    unmute: (host, towards) => {
      for (const other of towards) on(host, 'route', 'del', 'blackhole', `${addressOf(other)}/32`);
    },
    lose: (host, percent) => {
      filter(host, 'add table inet loss');
      filter(host, 'add chain inet loss sent { type filter hook output priority 0 ; policy accept ; }');
      filter(host, `add rule inet loss sent numgen random mod 100 < ${percent} drop`);
    },
    keep: (host) => filter(host, 'delete table inet loss'),
    delay: async (host, leastMs, mostMs) => {
      const place = hosts.indexOf(host);
      const [near, far, bridge] = [`near${place}`, `far${place}`, `slow${place}`];
      const line = await startProcess({
        name: `slow line of ${host}`,
        command: 'ip',
        args: [
          'netns',
          'exec',
          namespaceOf(prefix, 'switch'),
          process.execPath,
          SLOW_LINE,
          near,
          far,
          String(leastMs),
          String(mostMs),
        ],
        env: process.env,
        ready: (one) => one.output().includes('the line is slow') && hasDevices(near, far),
      });
      on('switch', 'link', 'add', bridge, 'type', 'bridge');
      for (const device of [bridge, near, far]) on('switch', 'link', 'set', device, 'up');
      on('switch', 'link', 'set', near, 'master', bridge);
      on('switch', 'link', 'set', far, 'master', 'ports');
      on('switch', 'link', 'set', `port${place}`, 'master', bridge);
      return async () => {
        on('switch', 'link', 'set', `port${place}`, 'master', 'ports');
        await line.stop();
        on('switch', 'link', 'del', bridge);
      };
    },
  };
}

/** Makes the namespaces; needs root. Returns the function that removes them. */
export function makeNetwork(prefix: string, hosts: readonly string[]): () => void {
  const made: string[] = [];
  const remove = (): void => {
    for (const namespace of made.splice(0)) ip('netns', 'del', namespace);
  };
  try {
    for (const host of ['switch', ...hosts]) {
      ip('netns', 'add', namespaceOf(prefix, host));
      made.push(namespaceOf(prefix, host));
      ip('-n', namespaceOf(prefix, host), 'link', 'set', 'lo', 'up');
    }
    const center = namespaceOf(prefix, 'switch');
    ip('-n', center, 'link', 'add', 'ports', 'type', 'bridge');
    ip('-n', center, 'link', 'set', 'ports', 'up');
    const { addressOf } = networkOf(prefix, hosts);
    for (const [place, host] of hosts.entries()) {
      const namespace = namespaceOf(prefix, host);
      ip('-n', center, 'link', 'add', `port${place}`, 'type', 'veth', 'peer', 'name', 'line', 'netns', namespace);
      ip('-n', center, 'link', 'set', `port${place}`, 'master', 'ports', 'up');
      ip('-n', namespace, 'addr', 'add', `${addressOf(host)}/16`, 'dev', 'line');
      ip('-n', namespace, 'link', 'set', 'line', 'up');
    }
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}
