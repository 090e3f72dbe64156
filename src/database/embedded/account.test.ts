import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDirectory } from '../../../test/kit/temp-directory.ts';
import type { TempDirectory } from '../../../test/kit/temp-directory.ts';
import { accountFor, canEnter, canRead } from './account.ts';

let directory: TempDirectory;
beforeEach(async () => {
  directory = await makeTempDirectory('account');
  chmodSync(directory.path, 0o755);
});
afterEach(async () => await directory.remove());

const root = 'root:x:0:0:root:/root:/bin/sh';
const nobody = 'nobody:x:65534:65533::/:/bin/false';
const postgres = 'postgres:x:101:104::/:/bin/sh';
const stranger = { uid: 54_321, gid: 54_321 };

it('prefers the owner of the directory, then postgres, then nobody, and never root', () => {
  const { uid, gid } = statSync(directory.path);
  const owner = uid === 0 ? [] : [`me:x:${uid}:${gid}::/:/bin/sh`];
  const expected = uid === 0 ? { uid: 101, gid: 104 } : { uid, gid };
  expect(accountFor(directory.path, [root, nobody, postgres, ...owner].join('\n'))).toEqual(expected);
  expect(accountFor('/', [root, nobody].join('\n'))).toEqual({ uid: 65_534, gid: 65_533 });
  expect(accountFor('/', [root, 'someone:x:7:7::/:/bin/sh', ''].join('\n'))).toBeUndefined();
});

it('canEnter is false where a directory above is closed', () => {
  const inner = join(directory.path, 'outer/inner');
  mkdirSync(inner, { recursive: true });
  chmodSync(join(directory.path, 'outer'), 0o711);
  expect(canEnter(stranger, inner)).toBe(true);
  chmodSync(join(directory.path, 'outer'), 0o700);
  expect(canEnter(stranger, inner)).toBe(false);
  const { uid, gid } = statSync(inner);
  expect(canEnter({ uid, gid }, inner)).toBe(true);
  chmodSync(join(directory.path, 'outer'), 0o710);
  expect(canEnter({ uid: 54_321, gid }, inner)).toBe(true);
});

it('canRead is false where only the owner may read a file', () => {
  const file = join(directory.path, 'library');
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  expect(canRead(stranger, directory.path)).toBe(true);
  chmodSync(file, 0o600);
  expect(canRead(stranger, directory.path)).toBe(false);
});
