import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { MAIN } from '../kit/joined-program.ts';
import { onTerminal } from '../kit/pseudo-terminal.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridge, environment } from './command-line.ts';
import { fillWithLongNames } from './listing-ground.ts';

const ESCAPE = '\u001B';
const run = promisify(execFile);
const databases = useDatabases();
let given: NodeJS.ProcessEnv;

beforeAll(async () => {
  const database = await databases.create();
  await fillWithLongNames(database, 1_002);
  given = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY };
});

const LIST = ['source', 'list', '--condition', 'stopped', '--limit', '1'] as const;

describe('the state of a source', () => {
  const listOn = async (more: NodeJS.ProcessEnv): Promise<string> => {
    // Node.js takes a terminal for one without colours where a CI service runs the test.
    const env = { ...environment(given), CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined, ...more };
    const listing = onTerminal([process.execPath, MAIN, ...LIST], { env });
    expect(await listing.ended).toBe(0);
    expect(listing.screen()).toContain('stopped');
    return listing.screen();
  };

  it('is coloured on a terminal', async () => {
    expect(await listOn({ TERM: 'xterm-256color' })).toContain(`${ESCAPE}[31mstopped`);
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ['with NO_COLOR', { TERM: 'xterm-256color', NO_COLOR: '1' }],
    ['on a dumb terminal', { TERM: 'dumb' }],
  ])('is not coloured %s', async (_, more) => {
    expect(await listOn(more)).not.toContain(ESCAPE);
  });

  it('is not coloured on a pipe, except with FORCE_COLOR', async () => {
    const plain = await databridge(LIST, { env: given });
    expect(plain.stdout).toContain('stopped');
    expect(plain.stdout).not.toContain(ESCAPE);
    const forced = await databridge(LIST, { env: { ...given, FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain(`${ESCAPE}[31mstopped`);
    // JSON is never coloured.
    const json = await databridge([...LIST, '--json'], { env: { ...given, FORCE_COLOR: '1' } });
    expect(json.stdout).not.toContain(ESCAPE);
  });
});

it.each([
  'source list',
  'source list --json',
  'readings project-of-the-second-pump-hall-behind-the-old-rolling-mill-no-7 --organisation organisation-of-the-northern-works-and-its-subsidiaries-in-full --from 1h --format csv',
])('%s ends quietly with 0 when its reader ends early', async (command) => {
  const pipe = `'${process.execPath}' '${MAIN}' ${command} | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await run('bash', ['--norc', '-c', pipe], { env: environment(given) });
  expect({ code: stdout.trim(), stderr }).toEqual({ code: '0', stderr: '' });
});
