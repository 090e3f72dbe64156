import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTempDirectory } from '../../../test/kit/temp-directory.ts';
import { answersElsewhere, removeStaleFiles, runningPostmaster, serverProcesses } from './postmaster.ts';

it('does not take a living process with the number of the server for the server', async () => {
  const directory = await makeTempDirectory('postmaster');
  const note = join(directory.path, 'postmaster.pid');
  expect(runningPostmaster(directory.path)).toBeUndefined();
  for (const noted of [`${process.pid}\n${directory.path}\n1\n5432\n`, `-${process.pid}\n`, '', 'x']) {
    writeFileSync(note, noted);
    expect(runningPostmaster(directory.path)).toBeUndefined();
  }
  expect(serverProcesses(directory.path)).toEqual([]);
  removeStaleFiles(directory.path);
  expect(existsSync(note)).toBe(false);
  await directory.remove();
});

it.runIf(process.platform === 'linux')('takes for the server only a postgres that works in the directory', async () => {
  const directory = await makeTempDirectory('postmaster');
  const program = join(directory.path, 'postgres');
  // A shell that waits for its input poses as postgres. Node cannot, because it names its own thread.
  symlinkSync('/bin/sh', program);
  const children = [
    [program, '/'],
    ['/bin/sh', directory.path],
    [program, directory.path],
  ].map(([command = '', cwd]) =>
    spawn(command, ['-c', 'echo ready; read line'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  for (const child of children) await once(child.stdout, 'data');
  const [stranger, visitor, server] = children.map(({ pid }) => pid ?? 0);
  for (const pid of [stranger, visitor, server]) {
    writeFileSync(join(directory.path, 'postmaster.pid'), `${pid}\n${directory.path}\n1\n5432\n`);
    expect(runningPostmaster(directory.path)).toEqual(pid === server ? { pid, port: 5_432 } : undefined);
  }
  expect(serverProcesses(directory.path)).toEqual([server]);
  for (const child of children) {
    child.stdin.end();
    await once(child, 'exit');
  }
  expect(serverProcesses(directory.path)).toEqual([]);
  await directory.remove();
});

it.runIf(process.platform === 'linux')('finds a server with an invisible process by its socket', async () => {
  const directory = await makeTempDirectory(`postmaster-${'long'.repeat(25)}`);
  expect(await answersElsewhere(directory.path)).toBe(false);
  const opened = openSync(directory.path, 'r');
  const server = createServer().listen(`/proc/self/fd/${opened}/.s.PGSQL.5432`);
  await once(server, 'listening');
  expect(await answersElsewhere(directory.path)).toBe(true);
  server.close();
  await once(server, 'close');
  closeSync(opened);
  writeFileSync(join(directory.path, '.s.PGSQL.5432'), '');
  expect(await answersElsewhere(directory.path)).toBe(false);
  expect(readdirSync(directory.path)).toEqual(['.s.PGSQL.5432']);
  await directory.remove();
});
