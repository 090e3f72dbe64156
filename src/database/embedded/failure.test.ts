import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { withRemedy, programFailure } from './failure.ts';

it.each([
  ['could not extend file "base/1/2": wrote only 4096 of 8192 bytes Check free disk space.', 'the disk is full'],
  ['FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device', 'the disk is full'],
  ['initdb: could not look up effective user ID 54321: user does not exist', 'no entry in /etc/passwd'],
  ['FATAL:  could not map anonymous shared memory: Cannot allocate memory', 'not enough memory'],
  ['FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use', 'an earlier server'],
  ['FATAL:  data directory "/x" has invalid permissions', 'permission was denied'],
  ['spawn /x/native/bin/postgres ENOENT', 'does not run on this system'],
  ['PANIC:  could not locate a valid checkpoint record at 0/1', 'damaged'],
])('finds the meaning of "%s"', (line, meaning) => {
  const error = programFailure('the server does not start', line);
  expect(error.message).toBe(`the server does not start: ${error.message.split(': ')[1]?.split('\n')[0]}\n${line}`);
  expect(error.message.split('\n')[0]).toContain(meaning);
  expect(error.remedy).not.toBe('');
});

it('offers another server where the meaning is unknown', () => {
  expect(programFailure('it failed', 'FATAL:  never seen').remedy).toContain('DATABASE_URL');
});

it('gives errors of the file system a remedy and lets other errors pass', () => {
  const caught = (): unknown => {
    try {
      return readFileSync('/');
    } catch (error) {
      return error;
    }
  };
  expect(withRemedy(caught())).toBeInstanceOf(EmbeddedDatabaseError);
  const other = new TypeError('ours');
  expect(withRemedy(other)).toBe(other);
});
