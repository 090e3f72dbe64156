import { describe, expect, it } from 'vitest';
import { modulesLoadedBy } from '../kit/loaded-modules.ts';
import { roomOf, sourceFiles } from './source-files.ts';

describe('the version', () => {
  it('loads no command', () => {
    const { own, packages, stdout } = modulesLoadedBy(['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(packages).toEqual(['commander']);
    expect(own.filter((path) => roomOf(path) === 'commands')).toEqual([]);
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
