import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { hasEmbeddedDatabase } from '../../src/database/running.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { databridge } from './command-line.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

async function place(): Promise<string> {
  const made = await makeTempDirectory('home');
  cleanups.push(() => made.remove());
  return made.path;
}

/** Only root may mount a file system of its own. */
const mayMount =
  process.getuid?.() === 0 &&
  spawnSync('/usr/bin/unshare', ['--mount', '/usr/bin/mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

function mount(path: string, options: string): void {
  expect(spawnSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status).toBe(0);
  cleanups.push(() => Promise.resolve(spawnSync('/usr/bin/umount', ['--lazy', path])));
}

it.runIf(mayMount)('a home on a full disk is told with its remedy, and is no bridge afterwards', async () => {
  const path = await place();
  mount(path, 'size=20m,mode=755');
  const env = { DATABRIDGE_HOME: join(path, 'home') };
  expect(await databridge(['project', 'create', 'hall'], { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/the disk is full[^]*try: free disk space/) as string,
  });
  expect(await databridge(['source', 'list'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no bridge at') as string,
  });
});

it.runIf(mayMount)('a home on a read-only disk is told with its remedy', async () => {
  const path = await place();
  mount(path, 'ro');
  const env = { DATABRIDGE_HOME: join(path, 'home') };
  expect(await databridge(['project', 'create', 'hall'], { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/read-only file system[^]*try: point DATABRIDGE_HOME/) as string,
  });
});

it('a directory holds a bridge only when its database was made', async () => {
  const home = await place();
  expect(hasEmbeddedDatabase(home)).toBe(false);
  await mkdir(join(home, 'postgres'));
  expect(hasEmbeddedDatabase(home)).toBe(false);
  await writeFile(join(home, 'postgres/place.json'), JSON.stringify({ root: '/elsewhere', initialised: false }));
  expect(hasEmbeddedDatabase(home)).toBe(false);
  await writeFile(join(home, 'postgres/place.json'), JSON.stringify({ root: '/elsewhere', initialised: true }));
  expect(hasEmbeddedDatabase(home)).toBe(true);
  // A damaged record is told by its reader, and does not make a new bridge.
  await writeFile(join(home, 'postgres/place.json'), 'x');
  expect(hasEmbeddedDatabase(home)).toBe(true);
});
