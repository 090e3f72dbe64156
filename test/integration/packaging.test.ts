import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { groupLives } from '../kit/process-group.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';

const repository = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };

let temporary: TempDirectory;
/** A copy of the files that are packed, so that `dist` is not written into the repository. */
let checkout: string;
/** The PATH of a machine that has Node.js and no other tool of this repository. */
let path: string;
let installed: string;

interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a command outside of the repository and without the environment of the test runner. */
function run(command: string, args: readonly string[], cwd = '/', more: NodeJS.ProcessEnv = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: environment(more) });
  return { status, output: `${stdout}${stderr}` };
}

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: path,
  HOME: temporary.path,
  DATABRIDGE_HOME: join(temporary.path, 'home'),
  ...more,
});

/** npm with the configuration of this machine, run by the Node.js in `path`. */
function npm(...args: readonly string[]): string {
  const env = { ...process.env, PATH: path };
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: checkout, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** The compiler's words on files of a program; each line of them begins with the name of its file. */
function typesOf(program: string, ...files: string[]): Outcome {
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')];
  const options = '--ignoreConfig --noEmit --strict --module nodenext --target es2024 --lib es2024'.split(' ');
  return run('node', [compiler, '--pretty', 'false', ...options, ...types, ...files], program);
}

beforeAll(async () => {
  temporary = await makeTempDirectory('packaging');
  // Where the test runs as root, the server of the database runs as another user, which needs access.
  chmodSync(temporary.path, 0o755);
  checkout = join(temporary.path, 'checkout');
  for (const name of [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'docs',
    'bin',
    'config',
    'src',
    'adapters',
    'console',
    'scripts',
  ])
    cpSync(join(repository, name), join(checkout, name), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(checkout, 'node_modules'));
  const machine = join(temporary.path, 'machine');
  mkdirSync(machine);
  symlinkSync(join(repository, 'node_modules/node/bin/node'), join(machine, 'node'));
  const system = (process.env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
  path = [machine, ...system].join(delimiter);
});

afterAll(async () => {
  await temporary.remove();
  assertNothingLeaked();
});

describe('the package', () => {
  let contents: readonly string[];

  beforeAll(() => {
    npm('pack', '--pack-destination', temporary.path);
    const tarball = join(temporary.path, `databridge-${version}.tgz`);
    contents = run('tar', ['-tzf', tarball]).output.trim().split('\n');
    npm('install', '--global', '--prefix', join(temporary.path, 'prefix'), '--no-audit', '--no-fund', tarball);
    installed = join(temporary.path, 'prefix/bin/databridge');
  });

  it('holds the program and every migration, and neither sources nor tests', () => {
    expect(contents).toContain('package/bin/databridge.js');
    expect(contents).toContain('package/dist/src/main.js');
    expect(contents).toContain('package/dist/console/index.html');
    expect(contents).toContain('package/docs/settings.md');
    expect(contents).toContain('package/adapters/platforms/influxdb/README.md');
    const migrations = readdirSync(join(repository, 'src/database/migrations'));
    expect(migrations).not.toHaveLength(0);
    for (const name of migrations) expect(contents).toContain(`package/dist/src/database/migrations/${name}`);
    const sources = contents.filter((name) => !/^package\/dist\/src\/(?:client|core|platform)\/.*\.d\.ts$/.test(name));
    expect(sources.filter((name) => /\.ts$|\.test\.|\/test\/|\/cases\/|node_modules/.test(name))).toEqual([]);
    expect(
      contents.every((name) =>
        /^package\/(bin|dist|config|docs\/[a-z-]+\.md$|[\w/-]*[A-Z]+(\.md)?$|package\.json$)/.test(name),
      ),
    ).toBe(true);
  });

  it('leaves no dist behind where it was packed', () => {
    expect(existsSync(join(checkout, 'dist'))).toBe(false);
  });

  it('prints version and help in any directory', () => {
    expect(run(installed, ['--version'])).toEqual({ status: 0, output: `${version}\n` });
    const help = run(installed, ['--help'], temporary.path);
    expect(help.status).toBe(0);
    expect(help.output).toContain('databridge project create');
  });

  it('starts its own PostgreSQL and keeps its data', () => {
    expect(run(installed, ['project', 'create', 'pump-hall'])).toEqual({
      status: 0,
      output: 'project pump-hall created\n',
    });
    const again = run(installed, ['project', 'create', 'pump-hall'], temporary.path);
    expect(again).toEqual({ status: 0, output: 'project pump-hall exists already\n' });
  });

  it('brings the simulated platforms of its demo', () => {
    const { status, output } = run(installed, ['demo', '--for', '2s', '--json'], '/', { TMPDIR: temporary.path });
    expect(JSON.parse(output)).toMatchObject({ ok: true, problems: [] });
    expect(status).toBe(0);
  });

  it('gives other programs the push client', () => {
    const program = join(temporary.path, 'program');
    mkdirSync(join(program, 'node_modules'), { recursive: true });
    symlinkSync(join(temporary.path, 'prefix/lib/node_modules/databridge'), join(program, 'node_modules/databridge'));
    writeFileSync(join(program, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(program, 'main.ts'),
      `import { PushError, openPushClient } from 'databridge/client';
import type { PushAnswer, PushFault, Remote } from 'databridge/client';
const remote: Remote = { baseUrl: 'http://127.0.0.1:9999', organisation: 'o', applicationId: 'a', applicationSecret: 's' };
const taken = ({ accepted }: PushAnswer): number => accepted;
const found: number | PushFault = await openPushClient(remote).push('hall', []).then(taken, (error: unknown) =>
  error instanceof PushError ? error.fault : 0,
);
console.log(JSON.stringify(found));
`,
    );
    writeFileSync(
      join(program, 'wrong.ts'),
      `import type { Remote } from 'databridge/client';\nexport const remote: Remote = {};\n`,
    );
    expect(run('node', ['main.ts'], program)).toEqual({
      status: 0,
      output: '{"code":"unreachable","why":"refused"}\n',
    });
  });

  it('gives adapters and other programs their types, and loads adapters', () => {
    const program = join(temporary.path, 'program');
    const adapter = `import { DAY, MINUTE, SECOND, basic, definePlatform, z } from 'databridge/platform';
export const clockwork = definePlatform<{ hall: string }>({
  name: 'clockwork',
  title: 'Clockwork',
  docs: 'https://clockwork.example/',
  kinds: { 'user-credentials': basic() },
  options: z.strictObject({ hall: z.string().default('north') }),
  place: ['connection.url'],
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  facts: {
    bounds: { from: 'inclusive', to: 'exclusive' },
    resolution: SECOND,
    order: 'ascending',
    page: { cap: Infinity, more: 'none' },
    sameInstant: 'one',
    failsAs: 'status',
    maxWindow: DAY,
    minWindow: SECOND,
    sensorsPerRead: 1,
    namesVariables: false,
    pace: { requestsPerSecond: 5, burst: 5, concurrency: 2 },
    lateness: SECOND,
    overlap: MINUTE,
  },
  identify: async (_http, { hall }) => ({ product: hall }),
  async *sensors(http, { hall }) {
    await http.get('/', { params: { hall }, expect: [404] });
    yield { id: 'clock' };
  },
  async *read(_http, _options, { sensors = [] }, window) {
    for (const sensor of sensors) yield { sensor, variable: 'second', at: [window.from], values: [1] };
  },
});
`;
    writeFileSync(join(program, 'clockwork.ts'), adapter);
    writeFileSync(join(program, 'wrong-clockwork.ts'), adapter.replace("order: 'ascending'", "order: 'up'"));
    // One run of the compiler, which costs 3 s, for these and those of the push client.
    const { output: said } = typesOf(program, 'main.ts', 'wrong.ts', 'clockwork.ts', 'wrong-clockwork.ts');
    const blamed = new Set(said.match(/^\S+?(?=\()/gm));
    expect(blamed, said).toEqual(new Set(['wrong.ts', 'wrong-clockwork.ts']));
    expect(said).toContain('missing the following properties');
    expect(said).toContain('"up"');
    const source = { name: 'clock', project: 'pump-hall', kind: 'user-credentials', platform: 'clockwork' };
    const fields = { adapter: './clockwork.ts', schedule: { every: '1s' } };
    const connection = { url: 'http://127.0.0.1:9', username: 'u', password: 'p' };
    writeFileSync(join(program, 'clock.yaml'), JSON.stringify({ ...source, ...fields, connection }));
    const outcome = run(installed, ['source', 'check', 'clock.yaml'], program, { DATABRIDGE_ADAPTERS: program });
    expect(outcome.output).toContain('schema    Clockwork');
  });

  it('passes on the exit code of wrong usage', () => {
    expect(run(installed, ['no-such-command']).status).toBe(2);
  });
});

describe('a checkout', () => {
  it('runs by npx from its sources, also where a stale dist lies beside them', () => {
    mkdirSync(join(checkout, 'dist/src'), { recursive: true });
    writeFileSync(join(checkout, 'dist/src/main.js'), 'throw new Error("stale")');
    const offline = { npm_config_cache: join(temporary.path, 'cache'), npm_config_offline: 'true' };
    const outcome = run('npx', ['databridge', '--version'], join(checkout, 'src'), offline);
    expect(outcome).toEqual({ status: 0, output: `${version}\n` });
  });
});

describe('with a Node.js that is too old', () => {
  /** Runs the launcher in a Node.js that claims to be version 20; the Node.js that the launcher starts does not. */
  const pretend = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})';
  const old = (launcher: string): string[] => ['--import', `data:text/javascript,${pretend}`, launcher];
  const launcher = (): string => join(checkout, 'bin/databridge.js');

  /** The launcher with a program in the place of ours that takes a moment to end after SIGTERM. */
  const startUp = (): Promise<RunningProcess> => {
    const program = `setInterval(() => undefined, 1_000);
      process.on('SIGTERM', () => { console.log('stopping'); setTimeout(() => process.exit(0), 500); });
      console.log('databridge is up');`;
    writeFileSync(join(checkout, 'src/main.ts'), program);
    return startProcess({
      name: 'launcher',
      command: process.execPath,
      args: [...old(launcher()), 'up'],
      env: environment(),
      ready: (launched) => launched.output().includes('databridge is up'),
    });
  };

  it('starts the Node.js that npm ci installed, and passes on exit codes', () => {
    expect(run(process.execPath, [...old(launcher()), '--version'])).toEqual({ status: 0, output: `${version}\n` });
    expect(run(process.execPath, [...old(launcher()), 'no-such-command']).status).toBe(2);
  });

  it('passes on SIGTERM and waits for the drain', async () => {
    const launched = await startUp();
    expect(await launched.stop()).toEqual({ code: 0, signal: null });
    expect(launched.output()).toContain('stopping');
    expect(groupLives(launched.pid)).toBe(false);
  });

  it('leaves nothing running when it is killed', async () => {
    const launched = await startUp();
    await launched.kill9();
    await expect.poll(() => groupLives(launched.pid)).toBe(false);
  });

  it('says which Node.js is needed where npm ci installed none', () => {
    const bare = join(temporary.path, 'bare');
    cpSync(join(checkout, 'bin'), join(bare, 'bin'), { recursive: true });
    cpSync(join(checkout, 'package.json'), join(bare, 'package.json'));
    const { status, output } = run(process.execPath, [...old(join(bare, 'bin/databridge.js')), '--version']);
    expect(status).toBe(1);
    expect(output).toMatch(/needs Node\.js 24 or newer, and this is .*\n {2}try: install Node\.js 24/);
  });
});
