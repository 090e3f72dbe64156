import { existsSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTempDirectory } from '../../../test/kit/temp-directory.ts';
import { makeComplete, findPackage } from './programs.ts';

it('finds the package of this platform, and names a remedy on other platforms', () => {
  expect(existsSync(join(findPackage().native, 'bin/postgres'))).toBe(true);
  for (const [platform, arch] of [
    ['sunos', 'x64'],
    ['linux', 'riscv64'],
    ['win32', 'x64'],
  ] as const) {
    const remedy = expect.stringContaining('DATABASE_URL') as string;
    expect(() => findPackage(platform, arch)).toThrow(expect.objectContaining({ remedy }));
  }
});

it('makes the links that are missing, relative to where they stand', async () => {
  const directory = await makeTempDirectory('programs');
  const native = join(directory.path, 'native');
  for (const name of ['lib', 'bin']) mkdirSync(join(native, name), { recursive: true });
  for (const name of ['lib/libpq.so.5.18', 'bin/initdb', 'bin/postgres']) writeFileSync(join(native, name), '');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  expect(makeComplete(native)).toBe(true);
  expect(readlinkSync(join(native, 'lib/libpq.so.5'))).toBe('libpq.so.5.18');
  expect(makeComplete(native)).toBe(true);
  await directory.remove();
});
