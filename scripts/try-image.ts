/**
 * Builds the image from the Dockerfile and runs it, where there is no Docker engine: with Debian's buildah, on a base
 * image made here of Debian, the Node.js of the npm package `node`, and npm. Needs root on Debian or Ubuntu, and minutes.
 *
 *   node scripts/try-image.ts [--keep]
 *
 * `--keep` leaves the working directory, whose path is printed first. Exit code 1: a check failed.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const SUITE = 'bookworm';
/** Certificates of this machine, also of a proxy before the registry; the build uses them. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const root = join(import.meta.dirname, '..');
const work = mkdtempSync('/var/tmp/databridge-image-');
const isolation = '--isolation=chroot';
let failures = 0;

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  /** Both streams. */
  readonly output: string;
}

function attempt(command: string, args: readonly string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: root,
    // The cache of buildah is in the working directory too, so that it is removed with it.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', TMPDIR: work },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { status, stdout, output: `${stdout}${stderr}`.trim() };
}

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, output } = attempt(command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${status}\n${output.slice(-4000)}`);
  return stdout.trim();
}

/** buildah with a store of its own: nothing stays on the machine, and no storage driver of the kernel is needed. */
const store = [`--root=${work}/store`, `--runroot=${work}/run`, '--storage-driver=vfs'];
const buildah = (...args: readonly string[]): string => run('buildah', ...store, ...args);

function step<T>(name: string, action: () => T): T {
  const startedAt = performance.now();
  const result = action();
  console.log(`${name}  (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`);
  return result;
}

function check(name: string, { status, output }: Outcome, holds: boolean): void {
  if (!holds) failures += 1;
  console.log(`${holds ? '✓' : '✗'} ${name}: exit ${status}\n${output.replaceAll(/^/gm, '    ')}`);
}

/** The mirror this machine installs its own packages from; empty: debootstrap chooses. */
function mirror(): string[] {
  const targets = run(
    'apt-get',
    'indextargets',
    '--format',
    '$(REPO_URI) $(ORIGIN) $(COMPONENT)',
    'Created-By: Packages',
  );
  const lines = targets.split('\n').filter((line) => line.endsWith(' Debian main'));
  return lines.slice(0, 1).map((line) => line.slice(0, line.indexOf(' ')));
}

function makeBase(): string {
  const base = join(work, 'base');
  const local = join(base, 'usr/local');
  run('debootstrap', '--variant=minbase', '--include=libatomic1', SUITE, base, ...mirror());
  mkdirSync(join(local, 'bin'), { recursive: true });
  copyFileSync(join(root, 'node_modules/node/bin/node'), join(local, 'bin/node'));
  run('npm', 'install', '--global', `--prefix=${local}`, '--no-audit', '--no-fund', 'npm@11');
  for (const left of ['var/cache/apt', 'var/lib/apt/lists', 'var/log']) rmSync(join(base, left), { recursive: true });
  const container = buildah('from', 'scratch');
  buildah('copy', '--quiet', container, base, '/');
  buildah('config', '--env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container);
  buildah('commit', '--quiet', '--rm', container, 'localhost/base');
  rmSync(base, { recursive: true });
  return 'localhost/base';
}

/** This machine's npm settings for its registry, given to the build as a secret, so that they do not stay in the image. */
function npmSettings(): string {
  const own = join(homedir(), '.npmrc');
  const registry = attempt('npm', ['config', 'get', 'registry']).stdout.trim();
  const settings = [existsSync(own) ? readFileSync(own, 'utf8') : '', `registry=${registry}`];
  if (existsSync(CERTIFICATES)) settings.push(`cafile=${CERTIFICATES}`);
  const path = join(work, 'npmrc');
  writeFileSync(path, `${settings.join('\n')}\n`, { mode: 0o600 });
  return path;
}

function buildImage(base: string): string {
  const args = [`--build-arg=BASE=${base}`, `--secret=id=npmrc,src=${npmSettings()}`];
  if (existsSync(CERTIFICATES)) args.push(`--volume=${dirname(CERTIFICATES)}:${dirname(CERTIFICATES)}:ro`);
  // Docker's own format, because the format of OCI has no health check.
  buildah('build', isolation, '--format=docker', ...args, '--tag=localhost/databridge', '.');
  return 'localhost/databridge';
}

const inside = (container: string, ...command: readonly string[]): Outcome =>
  attempt('buildah', [...store, 'run', isolation, container, '--', ...command]);

const shell = (container: string, script: string): Outcome => inside(container, 'sh', '-c', script);

/** Runs `up`, waits until it is up, stops it as Docker would, and prints its exit code. */
const UP = `databridge up > /tmp/up.log 2>&1 & pid=$!
for i in $(seq 120); do grep -q 'databridge is up' /tmp/up.log && break; sleep 0.5; done
sleep 2; databridge doctor --health; echo "health $?"
kill -TERM $pid; wait $pid; echo "up $?"; cat /tmp/up.log`;

const LEFT = `for tool in npm npx yarn corepack gcc cc make g++ python3 git curl; do command -v $tool && echo "left: $tool"; done
find / -xdev \\( -name '*.test.ts' -o -name npmrc -o -name .npmrc -o -path '/var/lib/apt/lists/*' \\) 2>/dev/null | sed 's/^/left: /'`;

function tryImage(image: string): void {
  const container = buildah('from', image);
  const version = inside(container, 'databridge', '--version');
  check('databridge --version', version, version.status === 0 && /^\d+\.\d+\.\d+/.test(version.output));
  const user = shell(container, 'id -u; id -g; touch /opt/databridge/x 2>&1; ls -ld /var/lib/databridge');
  check(
    'an ordinary user, who cannot change the program',
    user,
    user.output.startsWith('10001\n10001\n') && /denied/.test(user.output),
  );
  const project = inside(container, 'databridge', 'project', 'create', 'pump-hall');
  check(
    'project create, on the embedded PostgreSQL',
    project,
    project.status === 0 && project.output.includes('created'),
  );
  const doctor = inside(container, 'databridge', 'doctor');
  check('doctor', doctor, doctor.status === 0);
  const up = shell(container, UP);
  check('up, health, SIGTERM', up, up.output.includes('health 0\n') && up.output.includes('up 0\n'));
  const left = shell(container, LEFT);
  check('nothing left of the build', left, !left.output.includes('left:'));
}

function settings(image: string): void {
  const { Docker } = JSON.parse(buildah('inspect', '--type=image', image)) as {
    Docker: { config: Record<string, unknown> };
  };
  console.log(JSON.stringify(Docker.config, undefined, 2));
}

try {
  if (process.getuid?.() !== 0) throw new Error('needs root');
  console.log(`working in ${work}`);
  const missing = ['buildah', 'debootstrap'].filter(
    (tool) => !existsSync(`/usr/bin/${tool}`) && !existsSync(`/usr/sbin/${tool}`),
  );
  if (missing.length > 0)
    step('apt-get install', () => run('apt-get', 'install', '-y', '--no-install-recommends', ...missing));
  const base = step('base image', makeBase);
  const image = step('docker build', () => buildImage(base));
  settings(image);
  console.log(buildah('images', '--format={{.Name}} {{.Size}}'));
  tryImage(image);
} finally {
  if (process.argv.includes('--keep')) console.log(`kept: ${work}`);
  else {
    attempt('buildah', [...store, 'rm', '--all']);
    rmSync(work, { recursive: true, force: true });
  }
}
console.log(failures === 0 ? 'all checks passed' : `${failures} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;
