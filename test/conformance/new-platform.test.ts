import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePlatform, refusalOf } from '../../scripts/new-platform.ts';
import { ROOT } from '../architecture/source-files.ts';
import { unwrittenInWords, unwrittenOf } from '../architecture/unwritten.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import type * as Rules from './kit/rules.ts';
import type * as Subjects from './kit/subject.ts';

const NAME = 'acme-plant-3';

let copy: TempDirectory;

/** A repository with the parts of this one that a platform changes; it shares the others. */
beforeAll(async () => {
  copy = await makeTempDirectory('new-platform');
  for (const part of [
    'adapters',
    'scripts',
    'config',
    'console/client',
    'test/conformance',
    'README.md',
    'docs',
    'tsconfig.json',
    '.oxfmtrc.json',
  ]) {
    mkdirSync(dirname(join(copy.path, part)), { recursive: true });
    cpSync(join(ROOT, part), join(copy.path, part), { recursive: true });
  }
  for (const part of ['src', 'node_modules', 'package.json']) symlinkSync(join(ROOT, part), join(copy.path, part));
  makePlatform(copy.path, NAME);
});

afterAll(() => copy.remove());

const textOf = (file: string): string => readFileSync(join(copy.path, file), 'utf8');

const execute = (script: string, ...given: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...given], {
    cwd: copy.path,
    encoding: 'utf8',
  });
  return [status, `${stdout}${stderr}`];
};

it('stands in the registry, with its generated files', () => {
  const line = `  { name: '${NAME}', load: async () => (await import('./platforms/${NAME}/index.ts')).acmePlant3 },\n`;
  expect(textOf('adapters/index.ts')).toContain(line);
  expect(textOf('config/source.schema.json')).toContain(`"${NAME}"`);
  expect(execute('scripts/generate.ts', '--check')).toEqual([0, '']);
});

it('has the right types and form', () => {
  const config = { extends: './tsconfig.json', include: [`adapters/platforms/${NAME}`] };
  writeFileSync(join(copy.path, 'tsconfig.new.json'), JSON.stringify(config));
  expect(execute('node_modules/typescript/bin/tsc', '-p', 'tsconfig.new.json')).toEqual([0, '']);
  const [status, told] = execute(
    'node_modules/oxfmt/bin/oxfmt',
    '--check',
    `adapters/platforms/${NAME}`,
    'adapters/index.ts',
  );
  expect(status, String(told)).toBe(0);
});

it('lacks everything that is still to be written, in the order of the steps', () => {
  const places = unwrittenOf(copy.path, NAME);
  const steps = places.map(({ step }) => step);
  expect(new Set(steps)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  expect(steps).toEqual(steps.toSorted((one, other) => one - other));
  for (const file of ['index', 'options', 'simulator'])
    expect(places.some(({ place }) => place.startsWith(`adapters/platforms/${NAME}/${file}.ts:`))).toBe(true);
  const guide = readFileSync(join(ROOT, 'adapters/README.md'), 'utf8');
  for (const step of steps) expect(guide).toMatch(new RegExp(`^## ${step}\\. `, 'm'));
  expect(unwrittenInWords(places).split('\n')[0]).toBe(
    `write next, see adapters/README.md: adapters/platforms/${NAME}/index.ts:7: say here what is a sensor and what is a variable, in the words of the product (step 1)`,
  );
});

it('is refused by the tests of every platform, for what is not written', async () => {
  const load = async <T>(file: string): Promise<T> =>
    (await import(pathToFileURL(join(copy.path, 'test/conformance/kit', file)).href)) as T;
  const { subjects } = await load<typeof Subjects>('subject.ts');
  const { conformanceRules } = await load<typeof Rules>('rules.ts');
  const subject = subjects().find(({ platform }) => platform.name === NAME);
  if (subject === undefined) throw new Error(`${NAME} has no tests`);
  const kept: string[] = [];
  const otherwise: string[] = [];
  let named = 0;
  for (const [rule, keeps] of Object.entries(conformanceRules(subject))) {
    try {
      await keeps(subject);
      kept.push(rule);
    } catch (cause) {
      if (/WRITE \d: /.test(wordsOf(cause))) named += 1;
      else otherwise.push(`${rule}: ${wordsOf(cause)}`);
    }
  }
  expect(otherwise).toEqual([]);
  expect(named).toBeGreaterThan(100);
  // What it says of itself is in order, and it has no login of its own.
  expect(kept.filter((rule) => !/^its |^it |^unknown keys|^a login /.test(rule))).toEqual([]);
});

/** The words of an error and of those that led to it. */
const wordsOf = (cause: unknown): string =>
  cause instanceof Error ? `${cause.message} ${cause.cause === undefined ? '' : wordsOf(cause.cause)}` : String(cause);

it.each([
  ['Acme', 'kebab-case'],
  ['acme--plant', 'kebab-case'],
  ['3d-plant', 'kebab-case'],
  [`a${'b'.repeat(40)}`, 'kebab-case'],
  ['../acme', 'kebab-case'],
  [NAME, 'exists already'],
  ['influxdb', 'exists already'],
  ['custom', 'is reserved'],
  ['delete', 'is reserved'],
  ['route', 'src/simulator/route.ts'],
])('%s cannot be the name of another one: %s', (name, reason) => {
  expect(refusalOf(copy.path, name)).toContain(reason);
  expect(() => makePlatform(copy.path, name)).toThrow(reason);
});
