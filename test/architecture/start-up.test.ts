import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modulesLoadedBy } from '../kit/loaded-modules.ts';
import { ROOT, roomOf, sourceFiles } from './source-files.ts';

describe('the version', () => {
  it('loads no command, and nothing that prints one', () => {
    const { own, packages, stdout } = modulesLoadedBy(['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(packages).toEqual(['commander']);
    expect(own.toSorted()).toEqual(['src/main-program.ts', 'src/main.ts', 'src/version.ts']);
  });
});

describe('the help', () => {
  const { own, packages, stdout } = modulesLoadedBy(['--help']);

  it('loads what commands declare, and nothing of their work', () => {
    const declared = sourceFiles('src/commands').filter(({ path }) => /^src\/commands\/[^/]+\.ts$/.test(path));
    expect(stdout).toContain('databridge project create');
    expect(packages).toEqual(['commander']);
    expect(own.filter((path) => roomOf(path) === 'commands').toSorted()).toEqual(
      declared.map(({ path }) => path).toSorted(),
    );
  });

  it('loads few other files', () => {
    expect(own.filter((path) => roomOf(path) !== 'commands').length).toBeLessThan(20);
  });
});

describe('the compiled modules', () => {
  const root = mkdtempSync(join(tmpdir(), 'databridge-cache-'));
  const launcher = join(ROOT, 'bin/databridge.js');

  afterAll(() => rmSync(root, { recursive: true }));

  /** Asks for the version with this directory for caches, and with no cache of the test runner. */
  const start = (caches: string): string => {
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const given = { env: { ...env, XDG_CACHE_HOME: caches }, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [launcher, '--version'], given);
    return stdout + stderr;
  };
  const version = expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown;

  it('are kept in a directory that only this account may change', () => {
    expect(start(root)).toEqual(version);
    const [kept = ''] = readdirSync(join(root, 'databridge'));
    expect(readdirSync(join(root, 'databridge', kept))).not.toEqual([]);
    expect(statSync(join(root, 'databridge')).mode & 0o777).toBe(0o700);
  });

  it('are not kept in a directory that other accounts may change', () => {
    const open = join(root, 'open', 'databridge');
    mkdirSync(open, { recursive: true });
    chmodSync(open, 0o777);
    expect(start(join(root, 'open'))).toEqual(version);
    expect(readdirSync(open)).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0).each([['others'], ['others/databridge']])(
    'are not kept where another account made %s',
    (made) => {
      const directory = join(root, made);
      mkdirSync(directory, { recursive: true });
      chownSync(join(root, 'others'), 65_534, 65_534);
      chownSync(directory, 65_534, 65_534);
      expect(start(join(root, 'others'))).toEqual(version);
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it.each(['/proc/self', '/proc/self/none', '/dev/null', join(root, 'none', 'below'), 'relative'])(
    'may fail to be kept, as in %s',
    (caches) => {
      expect(start(caches)).toEqual(version);
      expect(existsSync(join(caches, 'databridge'))).toBe(false);
    },
  );
});
