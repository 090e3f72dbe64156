import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFor } from '../../src/database/embedded/account.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { runningPostmaster, serverProcesses } from '../../src/database/embedded/postmaster.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { linkOrCopy, linksOf, makeCheckout } from './embedded-checkout.ts';
import { endServerIn, query, recall, remember, settingsOf, sharedMemory, until } from './embedded-probe.ts';

const weAreRoot = process.getuid?.() === 0;
const program = join(import.meta.dirname, 'embedded-user.ts');

let temporary: TempDirectory;
let home: string;
let data: string;
let inode = 0;
const users: RunningProcess[] = [];

beforeEach(async () => {
  temporary = await makeTempDirectory('embedded');
  chmodSync(temporary.path, 0o755);
  home = join(temporary.path, 'settings');
  data = join(home, 'postgres/data');
});

afterEach(async () => {
  for (const user of users.splice(0)) await user.kill9();
  const leftovers = await endServerIn(data);
  const far = farRoot();
  if (far !== undefined) {
    rmSync(far, { recursive: true, force: true });
    if (readdirSync(dirname(far)).length === 0) rmdirSync(dirname(far));
  }
  await temporary.remove();
  expect(leftovers).toEqual([]);
});

afterAll(assertNothingLeaked);

async function startUser(directory = home, command = [process.execPath, program]): Promise<RunningProcess> {
  const [first = '', ...rest] = command;
  const args = [...rest, directory];
  const ready = (running: RunningProcess): boolean => /^url .* $/m.test(running.output());
  const user = await startProcess({ name: 'embedded user', command: first, args, ready });
  users.push(user);
  if (existsSync(data)) inode = statSync(data).ino;
  return user;
}

/** Without the lines of a machine so busy that the server says how it gets on. */
const saidApartFromWaits = (told: readonly string[]): readonly string[] =>
  told.filter((line) => !line.includes('has been starting for') && !line.includes('waiting for process'));

const urlOf = (user: RunningProcess): string => /^url (\S+)/m.exec(user.output())?.[1] ?? '';

// Never 0, which as the target of a signal is our own process group.
const postmaster = (): number => runningPostmaster(data)?.pid ?? expect.fail('no server runs');

function farRoot(): string | undefined {
  const record = join(home, 'postgres/place.json');
  return existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as { root: string }).root : undefined;
}

describe('the first use and the next', () => {
  it('makes a database that is safe, private and the same ever after', async () => {
    const told: string[] = [];
    const said = (): readonly string[] => saidApartFromWaits(told);
    const first = await openEmbeddedDatabase({ directory: home, log: (message) => told.push(message) });
    inode = statSync(data).ino;
    await remember(first.url);
    expect(await settingsOf(first.url)).toEqual({
      server_encoding: 'UTF8',
      // On the command line of the server: a line in postgresql.conf cannot switch it off.
      fsync: 'on (command line)',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      jit: 'off',
      TimeZone: 'UTC',
      max_connections: '200',
      shared_buffers: '256MB',
      listen_addresses: '127.0.0.1',
      is_superuser: 'off',
      wal_compression: 'pglz',
      database: 'databridge',
      locale: 'C.UTF-8',
    });
    expect(statSync(join(home, 'postgres/password')).mode & 0o777).toBe(0o600);
    await expect(query(first.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(sharedMemory(inode)).toHaveLength(1);
    await first.release();
    await first.release();
    expect(serverProcesses(data)).toEqual([]);
    expect(sharedMemory(inode)).toEqual([]);
    // A copy is made where the server's user cannot read the installed programs.
    const copied = existsSync(join(home, 'postgres/programs')) ? [expect.stringMatching(/^copying PostgreSQL /)] : [];
    expect(said()).toEqual([...copied, expect.stringMatching(/^making a new PostgreSQL /)]);
    const saidAtFirst = said();

    const second = await openEmbeddedDatabase({ directory: home, log: (message) => told.push(message) });
    expect(second.url).toBe(first.url);
    expect(await recall(second.url)).toBe(42);
    await second.release();
    expect(said()).toEqual(saidAtFirst);

    const port = Number(new URL(first.url).port);
    // Where another program has taken the port meanwhile, that program is the squatter.
    const squatter = createServer()
      .on('error', () => undefined)
      .listen(port, '127.0.0.1');
    const third = await openEmbeddedDatabase({ directory: home });
    expect(new URL(third.url).port).not.toBe(String(port));
    expect(await recall(third.url)).toBe(42);
    await third.release();
    squatter.close();
  });

  it('says what is wrong with data it cannot use', async () => {
    const database = await openEmbeddedDatabase({ directory: home });
    await database.release();
    writeFileSync(join(data, 'postgresql.auto.conf'), 'shared_buffers = lots\n');
    const broken = await openEmbeddedDatabase({ directory: home }).catch((error: unknown) => error);
    expect(broken).toMatchObject({
      name: 'EmbeddedDatabaseError',
      remedy: expect.stringContaining('postgresql.auto.conf'),
    });
    expect(String(broken)).toContain('invalid value for parameter "shared_buffers": "lots"');
    writeFileSync(join(data, 'postgresql.auto.conf'), '');
    writeFileSync(join(data, 'PG_VERSION'), '17\n');
    await expect(openEmbeddedDatabase({ directory: home })).rejects.toThrow('was written by PostgreSQL 17');
    expect(readdirSync(join(home, 'postgres/users'))).toEqual([]);
  });
});

describe('several processes', () => {
  it('start one server together, and the last to leave stops it, in whatever order they came', async () => {
    const [first, second, third] = await Promise.all([startUser(), startUser(), startUser()]);
    expect(new Set([first, second, third].map(urlOf)).size).toBe(1);
    const server = postmaster();
    await remember(urlOf(second));
    await first.stop();
    await third.stop();
    expect(await recall(urlOf(second))).toBe(42);
    expect(postmaster()).toBe(server);
    await second.stop();
    expect(second.output()).toContain('released');
    expect(serverProcesses(data)).toEqual([]);
    expect([first, second, third].filter((each) => each.output().includes('making a new'))).toHaveLength(1);
  });

  it('do not lose the server when its starter is killed or interrupted at the terminal', async () => {
    const starter = await startUser();
    const other = await startUser();
    const server = postmaster();
    process.kill(-starter.pid, 'SIGINT');
    await until(() => starter.output().includes('interrupted'));
    await remember(urlOf(other));
    await starter.kill9();
    expect(await recall(urlOf(other))).toBe(42);
    expect(postmaster()).toBe(server);
    await other.stop();
    expect(serverProcesses(data)).toEqual([]);
  });

  it('attach to a server whose only user was killed, and stop it in the end', async () => {
    const lost = await startUser();
    const server = postmaster();
    await remember(urlOf(lost));
    await lost.kill9();
    const next = await openEmbeddedDatabase({ directory: home });
    expect(postmaster()).toBe(server);
    expect(await recall(next.url)).toBe(42);
    await next.release();
    expect(serverProcesses(data)).toEqual([]);
    expect(readdirSync(join(home, 'postgres/users'))).toEqual([]);
  });
});

describe('a killed server', () => {
  it('is started again under its users, at the same address, with all that was committed', async () => {
    const user = await startUser();
    const server = postmaster();
    await remember(urlOf(user));
    process.kill(server, 'SIGKILL');
    expect(await until(() => recall(urlOf(user)))).toBe(42);
    expect(postmaster()).not.toBe(server);
    expect(user.output()).toContain('ended unasked');
    await user.stop();
    expect(serverProcesses(data)).toEqual([]);
    expect(sharedMemory(inode)).toEqual([]);
  });

  it('recovers at the next use, even when its number belongs to another process meanwhile', async () => {
    const user = await startUser();
    await remember(urlOf(user));
    await user.kill9();
    process.kill(postmaster(), 'SIGKILL');
    await until(() => serverProcesses(data).length === 0);
    const note = join(data, 'postmaster.pid');
    // Of the same user, because PostgreSQL itself sees through a process it may not signal.
    const { uid, gid } = statSync(data);
    const other = spawn('sleep', ['600'], { ...(weAreRoot && { uid, gid }), stdio: 'ignore' });
    writeFileSync(note, readFileSync(note, 'utf8').replace(/^\d+/, String(other.pid)));
    const next = await openEmbeddedDatabase({ directory: home });
    expect(await recall(next.url)).toBe(42);
    other.kill('SIGKILL');
    await next.release();
    expect(sharedMemory(inode)).toEqual([]);
  });
});

// Only root can become another user and make directories which that user cannot enter.
describe.runIf(weAreRoot)('under root', () => {
  const account = accountFor('/') ?? { uid: 65_534, gid: 65_534 };

  it('serves a settings directory and a checkout the server cannot enter from a place it can, and finds it again', async () => {
    const closed = join(temporary.path, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    home = join(closed, 'settings');
    const checkout = makeCheckout(join(closed, 'checkout'));
    const command = [process.execPath, checkout];
    const first = await startUser(home, command);
    const far = farRoot() ?? '';
    data = join(far, 'data');
    expect(far).toMatch(/^\/var\/lib\/databridge\/[0-9a-f]{16}$/);
    expect(statSync(data).uid).toBe(account.uid);
    expect(linksOf(join(closed, 'checkout'))).toHaveLength(14);
    expect(existsSync(join(far, 'programs'))).toBe(true);
    await remember(urlOf(first));
    await first.stop();
    expect(serverProcesses(data)).toEqual([]);
    const second = await startUser(home, command);
    expect(urlOf(second)).toBe(urlOf(first));
    expect(await recall(urlOf(second))).toBe(42);
    expect(saidApartFromWaits(second.output().match(/^log .*$/gm) ?? [])).toEqual([]);
    await second.stop();
    rmSync(far, { recursive: true });
    await expect(openEmbeddedDatabase({ directory: home })).rejects.toThrow('is not there any more');
  });

  it('is not needed: an ordinary user needs neither a writable package nor its links', async () => {
    const checkout = makeCheckout(join(temporary.path, 'checkout'));
    const node = join(temporary.path, 'bin/node');
    linkOrCopy(process.execPath, node);
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, account.uid, account.gid);
    const command = ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', node, checkout];
    const user = await startUser(home, command);
    expect(linksOf(join(temporary.path, 'checkout'))).toEqual([]);
    expect(linksOf(join(home, 'postgres/programs'))).toHaveLength(14);
    await remember(urlOf(user));
    // Root joins what belongs to that user, and leaves nothing behind which that user could not use.
    const root = await openEmbeddedDatabase({ directory: home });
    await user.stop();
    expect(await recall(root.url)).toBe(42);
    await root.release();
    expect(serverProcesses(data)).toEqual([]);
    const again = await startUser(home, command);
    await again.stop();
    expect(again.output()).toContain('released');
  });
});

/** Where this is allowed, a space of process numbers of its own is what a second container with the same volume is. */
const isolated = ['--pid', '--net', '--ipc', '--mount-proc', '--fork', '--kill-child'];

describe.runIf(spawnSync('unshare', [...isolated, 'true']).status === 0)('in two containers', () => {
  it('does not open the data twice, and does not forget who uses it', async () => {
    const user = await startUser();
    const answer = spawnSync('unshare', [...isolated, process.execPath, program, home], { encoding: 'utf8' });
    expect(answer.stdout).toContain('already runs in another container');
    expect(answer.stdout).toContain('docker compose exec');
    const passing = await openEmbeddedDatabase({ directory: home });
    await passing.release();
    await remember(urlOf(user));
    await user.stop();
    expect(serverProcesses(data)).toEqual([]);
  });
});
