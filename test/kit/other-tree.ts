import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTempDirectory } from './temp-directory.ts';

const run = promisify(execFile);
const here = join(import.meta.dirname, '..', '..');

/** The tree of another commit in a directory of its own, with its packages. */
export interface OtherTree {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Checks a commit out beside this tree. Throws where there is no such commit. */
export async function openTree(commit: string): Promise<OtherTree> {
  await using stack = new AsyncDisposableStack();
  const temporary = await makeTempDirectory('tree');
  stack.defer(() => temporary.remove());
  const directory = join(temporary.path, 'tree');
  await run('git', ['worktree', 'add', '--detach', directory, commit], { cwd: here });
  stack.defer(async () => {
    await run('git', ['worktree', 'remove', '--force', directory], { cwd: here });
  });
  await bringPackages(directory);
  const opened = stack.move();
  return { directory, remove: () => opened.disposeAsync() };
}

/** The packages of this tree serve where the other one wants the same. */
async function bringPackages(there: string): Promise<void> {
  const [wanted, present] = await Promise.all(
    [there, here].map((tree) => readFile(join(tree, 'package-lock.json'), 'utf8')),
  );
  if (wanted === present) await symlink(join(here, 'node_modules'), join(there, 'node_modules'));
  // npm would leave a cache of its own program among the temporary files.
  else await run('npm', ['ci'], { cwd: there, env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } });
}
