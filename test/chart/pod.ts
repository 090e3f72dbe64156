import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RunningProcess, startProcess } from '../kit/process.ts';
import type { Deployment, Probe } from './kubernetes.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');

/** The user of the image. */
const USER = 10_001;

/** What is outside of the pod. */
export interface Surroundings {
  readonly directory: string;
  /** Where a name and port that the pod uses lead: ports on this machine. */
  readonly services: readonly { readonly name: string; readonly port: number; readonly leadsTo: number }[];
  /** The files of each Secret and ConfigMap, by its name. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Pod {
  /** Asks a probe once. @returns what is wrong; undefined where it passes */
  ask(probe: Probe): Promise<string | undefined>;
  output(): string;
  running(): boolean;
  /** SIGTERM, as Kubernetes ends it. @returns the exit code */
  stop(): Promise<number | null>;
}

/**
 * Starts the container of a deployment with exactly its arguments, its environment and that of the image, its user and its mounts: in a network of
 * its own, on the files of this machine, which it cannot write outside of its volumes. Needs root.
 */
export async function startPod(
  { metadata, spec }: Deployment,
  { directory, services, files }: Surroundings,
): Promise<Pod> {
  const { volumes, containers } = spec.template.spec;
  const [{ args, env, volumeMounts, ports = [] }] = containers;
  const own = join(directory, metadata.name);
  const mounts: string[] = [];
  for (const { name, mountPath, readOnly } of volumeMounts) {
    const volume = volumes.find((each) => each.name === name);
    const at = join(own, 'volumes', name);
    await mkdir(at, { recursive: true });
    const content = files[volume?.secret?.secretName ?? volume?.configMap?.name ?? ''] ?? {};
    for (const [file, text] of Object.entries(content)) {
      await writeFile(join(at, file), text);
      await chmod(join(at, file), volume?.secret?.defaultMode ?? 0o644);
      await chown(join(at, file), 0, USER);
    }
    // As fsGroup has it.
    await chown(at, 0, USER);
    await chmod(at, 0o2775);
    mounts.push(`mkdir -p "$root${mountPath}"`, `mount --bind "${at}" "$root${mountPath}"`);
    if (readOnly === true) mounts.push(`mount -o remount,bind,ro "$root${mountPath}"`);
  }
  for (const part of ['upper', 'work', 'root', 'sockets']) await mkdir(join(own, part), { recursive: true });
  await chmod(join(own, 'sockets'), 0o755);
  const doors: RunningProcess[] = [];
  for (const { name, leadsTo } of services) {
    const socket = join(own, 'sockets', name);
    doors.push(
      await startProcess({
        name: 'socat',
        command: 'socat',
        args: [`UNIX-LISTEN:${socket},fork,mode=777`, `TCP:127.0.0.1:${leadsTo}`],
        ready: async () => (await run('test', ['-S', socket])).stderr === '',
      }),
    );
  }
  await writeFile(
    join(own, 'hosts'),
    ['localhost', ...services.map(({ name }) => name)].map((name) => `127.0.0.1 ${name}\n`).join(''),
  );
  const inner = await environmentOf(env);
  const enter = ['--userspec', `${USER}:${USER}`, '--groups', String(USER), join(own, 'root')];
  const command = (words: readonly string[]): readonly string[] => [
    'env',
    '-i',
    ...inner,
    // The kernel drops the wish to end with the parent when a process changes its user, so it is expressed again.
    'setpriv',
    '--pdeathsig',
    'KILL',
    process.execPath,
    join(ROOT, 'bin', 'databridge.js'),
    ...words,
  ];
  const script = [
    'set -e',
    `root=${join(own, 'root')}`,
    'mount --make-rprivate /',
    'ip link set lo up',
    `mount -t overlay overlay -o lowerdir=/,upperdir=${join(own, 'upper')},workdir=${join(own, 'work')} "$root"`,
    'mount --rbind /proc "$root/proc"; mount --rbind /dev "$root/dev"',
    `mount --bind ${join(own, 'hosts')} "$root/etc/hosts"`,
    ...mounts,
    'mount -o remount,ro "$root"',
    // As the user of the process, because that one may end no other user's by its death.
    ...services.map(
      ({ name, port }) =>
        `setpriv --reuid ${USER} --pdeathsig KILL socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${join(own, 'sockets', name)} &`,
    ),
    'exec chroot "$@"',
  ].join('\n');
  const started = await startProcess({
    name: metadata.name,
    command: 'unshare',
    args: ['--mount', '--net', 'bash', '-c', script, 'pod', ...enter, ...command(args)],
    ready: () => true,
  });
  const inside = async (words: readonly string[], timeout: number): Promise<string | undefined> =>
    await run('nsenter', ['--target', String(started.pid), '--mount', '--net', 'chroot', ...enter, ...words], {
      timeout,
    }).then(
      () => undefined,
      (error: Error & { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}` || error.message,
    );
  return {
    async ask({ httpGet, exec, timeoutSeconds = 1 }) {
      if (exec !== undefined) return await inside(command(exec.command.slice(1)), timeoutSeconds * 1_000);
      const port = ports.find((each) => each.name === httpGet?.port)?.containerPort;
      const url = `${httpGet?.scheme.toLowerCase()}://127.0.0.1:${port}${httpGet?.path}`;
      // Kubernetes does not check the certificate either.
      const asking = `fetch('${url}').then((a) => process.exit(a.ok ? 0 : 1), (e) => { console.log(e.cause ?? e); process.exit(1) })`;
      return await inside(['env', 'NODE_TLS_REJECT_UNAUTHORIZED=0', process.execPath, '-e', asking], 30_000);
    },
    output: () => started.output(),
    running: () => started.running(),
    async stop() {
      const { code } = await started.stop(spec.template.spec.terminationGracePeriodSeconds * 1_000);
      for (const door of doors) await door.stop();
      return code;
    },
  };
}

/** The environment of the image with that of the container over it, as `NAME=value`. */
async function environmentOf(env: readonly { readonly name: string; readonly value: string }[]): Promise<string[]> {
  const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const image = /^ENV (.*)$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
  return [
    ...image,
    'HOME=/var/lib/databridge',
    'PATH=/usr/local/bin:/usr/bin:/bin',
    ...env.map(({ name, value }) => `${name}=${value}`),
  ];
}
