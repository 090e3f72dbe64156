import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDirectory } from '../../../test/kit/temp-directory.ts';
import type { TempDirectory } from '../../../test/kit/temp-directory.ts';
import { withLock } from './lock.ts';
import { thisProcess } from './process-identity.ts';

let directory: TempDirectory;
let path: string;

beforeEach(async () => {
  directory = await makeTempDirectory('lock');
  path = join(directory.path, 'lock');
});
afterEach(async () => await directory.remove());

const quiet = (): void => undefined;
const token = '00000000-0000-4000-8000-000000000000';

function leave(holder: object): void {
  writeFileSync(path, JSON.stringify({ token, ...thisProcess(), ...holder }));
}

async function mostInside(): Promise<number> {
  let inside = 0;
  let most = 0;
  const visit = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await sleep(1);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 12 }, () => withLock(path, quiet, visit)));
  return most;
}

it('runs one caller at a time and leaves no file behind', async () => {
  expect(await mostInside()).toBe(1);
  expect(readdirSync(directory.path)).toEqual([]);
});

it('is released when the work throws', async () => {
  await expect(withLock(path, quiet, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(readdirSync(directory.path)).toEqual([]);
});

it.each([
  ['a process that ended and whose number another process has', { startedAt: 'earlier' }],
  ['a process that does not exist', { pid: 2 ** 30 }],
])('is taken from %s by one waiter only', async (_, holder) => {
  leave(holder);
  expect(await mostInside()).toBe(1);
  expect(readdirSync(directory.path)).toEqual([]);
});

it('is taken from a file torn by a power cut', async () => {
  writeFileSync(path, '');
  expect(await mostInside()).toBe(1);
});

it('stays with a holder in another container while it gives signs of life', async () => {
  leave({ where: 'another container' });
  let entered = false;
  const visit = withLock(path, quiet, () => {
    entered = true;
    return Promise.resolve();
  });
  await sleep(200);
  expect(entered).toBe(false);
  const long = new Date(Date.now() - 30_000);
  utimesSync(path, long, long);
  await visit;
  expect(entered).toBe(true);
});

it('removes files of killed waiters, but not of living ones', async () => {
  writeFileSync(`${path}.draft`, JSON.stringify({ token, ...thisProcess(), startedAt: 'earlier' }));
  writeFileSync(`${path}.other`, JSON.stringify({ token, ...thisProcess() }));
  await withLock(path, quiet, () => Promise.resolve());
  expect(readdirSync(directory.path)).toEqual(['lock.other']);
  rmSync(`${path}.other`);
});
