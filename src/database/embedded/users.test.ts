import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTempDirectory } from '../../../test/kit/temp-directory.ts';
import { thisProcess } from './process-identity.ts';
import { livingUsers, registerUser } from './users.ts';

it('counts notes of living processes and removes all other notes', async () => {
  const directory = await makeTempDirectory('users');
  const first = await registerUser(directory.path);
  await registerUser(directory.path);
  const others = [
    { ...thisProcess(), startedAt: 'earlier' },
    { ...thisProcess(), where: 'another container' },
  ];
  for (const [index, other] of others.entries()) {
    writeFileSync(join(directory.path, `${index}.json`), JSON.stringify(other));
  }
  writeFileSync(join(directory.path, 'torn.json'), '{');
  expect(await livingUsers(directory.path)).toBe(2);
  expect(readdirSync(directory.path)).toHaveLength(2);
  rmSync(first);
  expect(await livingUsers(directory.path)).toBe(1);
  await directory.remove();
});
