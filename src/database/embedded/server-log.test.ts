import { closeSync, existsSync, statSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTempDirectory } from '../../../test/kit/temp-directory.ts';
import { boundLog, openServerLog, tailOfLog } from './server-log.ts';

it('stays small while the server goes on writing to it, and its last lines can be read', async () => {
  const directory = await makeTempDirectory('server-log');
  const place = { log: join(directory.path, 'server.log'), account: undefined };
  expect(tailOfLog(place)).toBe('');
  const server = openServerLog(place);
  writeSync(server, 'first\nsecond\n');
  expect(tailOfLog(place)).toBe('first\nsecond');
  expect(tailOfLog(place, 6)).toBe('second');
  boundLog(place);
  expect(existsSync(`${place.log}.1`)).toBe(false);
  writeSync(server, `${'x'.repeat(9 * 1_048_576)}\n`);
  boundLog(place);
  writeSync(server, 'third\n');
  closeSync(server);
  expect(statSync(place.log).size).toBe(6);
  expect(tailOfLog(place, 100)).toBe('third');
  expect(statSync(`${place.log}.1`).size).toBeGreaterThan(9 * 1_048_576);
  await directory.remove();
});

it('is not opened through a symbolic link', async () => {
  const directory = await makeTempDirectory('server-log');
  const log = join(directory.path, 'server.log');
  writeFileSync(join(directory.path, 'precious'), '');
  symlinkSync(join(directory.path, 'precious'), log);
  const place = { log, account: undefined };
  expect(() => openServerLog(place)).toThrow('ELOOP');
  await directory.remove();
});
