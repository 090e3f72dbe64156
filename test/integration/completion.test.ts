import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { MAIN } from '../kit/joined-program.ts';
import { storeSource } from '../kit/stored-source.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridge, environment } from './command-line.ts';

const run = promisify(execFile);
const databases = useDatabases();
let directory: TempDirectory;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = await makeTempDirectory('completion');
  const database = await databases.create();
  for (const name of ['hall-3', 'hall-4', 'press']) await storeSource(database, name);
  // The script calls the command by the word that the operator typed.
  const command = join(directory.path, 'databridge');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  await chmod(command, 0o755);
  const given = environment({ DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY });
  env = { ...given, PATH: `${directory.path}:${given['PATH']}` };
  const { stdout, code } = await databridge(['completion', 'bash']);
  expect(code).toBe(0);
  await writeFile(join(directory.path, 'script'), stdout);
});
afterAll(() => directory.remove());

/** The words that bash offers for the last word of a line, as it asks a function for them. */
async function offered(line: string, more: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const words = line.split(' ');
  const ask = [
    `source '${directory.path}/script'`,
    `complete -p databridge >/dev/null || exit 9`,
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${words.length - 1}`,
    '_databridge',
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ].join('\n');
  const { stdout, stderr } = await run('bash', ['--norc', '-c', ask], { env: { ...env, ...more } });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bash completes', () => {
  it.each([
    ['databridge sou', ['source']],
    ['databridge source ta', ['take-over']],
    ['databridge source list --co', ['--condition']],
    ['databridge source list --condition st', ['stopped', 'starting']],
    ['databridge source show --json hall', ['hall-3', 'hall-4']],
    ['databridge source take-over press --from h', ['hall-3', 'hall-4']],
    ['databridge backfill start p', ['press']],
    ['databridge readings p', ['project']],
    ['databridge source list --platform influx', ['influxdb']],
    ['databridge source list --organisation', []],
    ['databridge completion b', ['bash']],
    // A file: the shell completes it.
    ['databridge source check h', []],
    ['databridge backup h', []],
  ])('%s', async (line, words) => {
    // A database that takes longer than a second on a busy machine is not waited for; an operator presses Tab again.
    await expect.poll(() => offered(line)).toEqual(words);
  });

  it('every command, and none that is hidden', async () => {
    const words = await offered('databridge ');
    expect(words).toEqual(expect.arrayContaining(['demo', 'up', 'worker', 'source', 'signing-key', 'completion']));
    expect(words).not.toContain('complete');
  });

  it('no name, and without a word, where there is no bridge or its database does not answer', async () => {
    const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    expect(await offered('databridge source show h', nowhere)).toEqual([]);
    expect(await offered('databridge source show h', { DATABASE_URL: '', DATABRIDGE_HOME: directory.path })).toEqual(
      [],
    );
    expect(await databridge(['complete', 'sources'], { env: { DATABASE_URL: 'nonsense' } })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});

it('the script for zsh is that for bash, below the module that takes it', async () => {
  const [bash, zsh] = [await databridge(['completion', 'bash']), await databridge(['completion', 'zsh'])];
  expect(zsh.stdout).toBe(`autoload -Uz bashcompinit && bashcompinit\n${bash.stdout}`);
});
