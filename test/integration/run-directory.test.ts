import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { groupLives } from '../kit/process-group.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';

afterAll(assertNothingLeaked);

const setup = join(import.meta.dirname, '../kit/run-directory.ts');

/** A runner that makes a run directory, starts a process in a session of its own and leaves a file behind; then it runs `more`. */
async function startRunner(more: string): Promise<{ runner: RunningProcess; directory: string; left: number }> {
  const program = `
    import { setup } from ${JSON.stringify(setup)};
    import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    const tearDown = await setup();
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    child.unref();
    writeFileSync(process.env.TMPDIR + '/left.txt', '');
    ${more}
    // The test acts on this line: everything the runner does in answer to it stands before.
    console.log('run', process.env.TMPDIR, child.pid);`;
  const runner = await startProcess({
    name: 'runner',
    command: process.execPath,
    args: ['--input-type=module', '-e', program],
    // A runner of its own, not a part of the one that runs this test.
    env: { ...process.env, DATABRIDGE_TEST_RUN_DIRECTORY: undefined },
    ready: (running) => /^run \S+ \d+$/m.test(running.output()),
  });
  const [, directory = '', pid = ''] = /^run (\S+) (\d+)$/m.exec(runner.output()) ?? [];
  return { runner, directory, left: Number(pid) };
}

test('a runner that is killed leaves neither processes nor files', async () => {
  const { runner, directory, left } = await startRunner('setInterval(() => undefined, 60_000);');
  expect(existsSync(join(directory, 'left.txt'))).toBe(true);
  await runner.kill9();
  await expect.poll(() => existsSync(directory)).toBe(false);
  expect(groupLives(left)).toBe(false);
});

test('a runner that ends in order fails where tests left processes or files, and removes them', async () => {
  const { runner, directory, left } = await startRunner(
    `process.once('SIGTERM', () => tearDown().catch((error) => { console.log(error.message); process.exit(1); }));
     setInterval(() => undefined, 60_000);`,
  );
  expect((await runner.stop(60_000)).code).toBe(1);
  expect(runner.output()).toContain(`process ${left} sleep 600`);
  expect(runner.output()).toContain('left.txt');
  expect(existsSync(directory)).toBe(false);
  expect(groupLives(left)).toBe(false);
});
