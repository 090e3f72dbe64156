import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allPlatforms } from '../../adapters/index.ts';
import { kinds } from '../../adapters/kinds.ts';
import { REFUSALS } from '../../src/core/reading.ts';
import { commonFields } from '../../src/core/source/schema.ts';
import { below, schemaKeys } from '../../src/core/source/shape.ts';
import { describeSettings } from '../../src/settings.ts';
import { programOf } from '../kit/program.ts';
import { ROOT, markdownPages, sourceFiles } from './source-files.ts';
import { READERS, missingReaders } from './source-readers.ts';

const platforms = await allPlatforms();

// Nothing is declared that is not there. The proof is textual: a field must be read by its name, and a word of a closed list must be
// produced, in code other than its declaration. A field of the source schema is read where source-readers.ts says, because its name
// is common; elsewhere a field may hide behind another one of its name.

interface Text {
  readonly path: string;
  readonly text: string;
}

const codeOf = (...rooms: readonly string[]): readonly Text[] =>
  sourceFiles(...rooms).map(({ path, text }) => ({
    path,
    text: text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''),
  }));

const code = codeOf('src', 'adapters');

const without = (texts: readonly Text[], ...paths: readonly RegExp[]): readonly Text[] =>
  texts.filter(({ path }) => !paths.some((pattern) => pattern.test(path)));

const escaped = (name: string): string => name.replaceAll(/[^\w-]/g, String.raw`\$&`);

/** Whether a field is read: `x.name`, `x['name']`, or taken out of an object as `{ name }` or `{ name: other }`. */
function isRead(name: string, texts: readonly Text[]): boolean {
  const key = escaped(name);
  const access = new RegExp(
    String.raw`\.${key}\b(?!\()|\['${key}'\]|[{,]\s*${key}(?:: \w+|: \{[^}]*\})?(?: = [^,}]+)?\s*(?=[,}])`,
  );
  return texts.some(({ text }) => access.test(text));
}

/** Whether a word of a closed list is produced; a comparison, a case and a part of a type produce nothing. */
function isProduced(word: string, texts: readonly Text[]): boolean {
  const made = new RegExp(String.raw`(?<!(?:===|!==|\||case|typeof \w+ ===) ?)'${escaped(word)}'`);
  return texts.some(({ text }) => made.test(text));
}

/** All fields below a schema, as `pace.quietHours.from`. */
function fieldsOf(schema: z.ZodType, path: readonly string[] = []): string[] {
  const keys = schemaKeys(schema);
  const entries = below(schema, 0);
  return [
    ...entries.flatMap((entry) => fieldsOf(entry, path)),
    ...keys.flatMap((key) => [
      [...path, key].join('.'),
      ...below(schema, key).flatMap((inner) => fieldsOf(inner, [...path, key])),
    ]),
  ];
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The keys of an interface, as its file writes them. */
function keysOf(path: string, name: string): string[] {
  const text = code.find((file) => file.path === path)?.text ?? '';
  const body =
    new RegExp(String.raw`interface ${name}(?:<[^>]*>)?(?: extends \w+)? \{\n([\s\S]*?)\n\}`).exec(text)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, key = '']) => key);
}

/** The text of a declaration, from its beginning to the first line that ends it. */
function declared(path: string, begin: RegExp): string {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const from = text.search(begin);
  return text.slice(from, text.indexOf(';\n', from));
}

describe('a field has a reader', () => {
  it('of the schema of a source', () => {
    const fields = fieldsOf(z.strictObject(commonFields));
    expect(fields).toEqual(
      expect.arrayContaining(['mapping.timezone', 'pace.quietHours.days', 'sensors.values.scale']),
    );
    // The rows of a table take the place of the sensors, and a parent is read with its fields.
    const read = fields.filter((field) => !field.startsWith('sensors.table.'));
    const isParent = (field: string): boolean => fields.some((other) => other.startsWith(`${field}.`));
    expect(read.filter((field) => READERS[field] === undefined && !isParent(field))).toEqual([]);
    expect(Object.keys(READERS).filter((field) => !fields.includes(field))).toEqual([]);
    expect(missingReaders(code)).toEqual([]);
  });

  it.each(platforms.map((platform) => [platform.name, platform] as const))('of the options of %s', (name, platform) => {
    const readers = code.filter(({ path }) => path.startsWith(`adapters/platforms/${name}/`));
    const fields = fieldsOf(platform.options);
    expect(fields.filter((field) => !isRead(lastOf(field), without(readers, /options\.ts$/, /simulator/)))).toEqual([]);
  });

  it('of the connection of each kind that a platform takes', () => {
    const taken = Object.entries(kinds).filter(([kind]) => platforms.some((platform) => kind in platform.kinds));
    expect(taken).not.toEqual([]);
    const readers = without(code, /^adapters\/kinds\//, /simulator/);
    for (const [kind, schema] of taken)
      expect(
        schemaKeys(schema).filter((field) => !isRead(field, readers)),
        kind,
      ).toEqual([]);
  });

  it.each([
    ['src/platform/facts.ts', 'PlatformFacts'],
    ['src/platform/sensor.ts', 'Sensor'],
    ['src/platform/sensor.ts', 'Selection'],
    ['src/platform/contract.ts', 'Platform'],
    ['src/platform/authorisation.ts', 'Grant'],
    ['src/core/samples.ts', 'Samples'],
    ['src/core/batch.ts', 'Batch'],
  ])('of %s: %s', (path, name) => {
    // People read the address of the documentation.
    const keys = keysOf(path, name).filter((key) => key !== 'docs');
    expect(keys).not.toEqual([]);
    // The tests of every platform are generated from its facts.
    const kit = name === 'PlatformFacts' ? codeOf('test/conformance') : [];
    const readers = [...without(code, new RegExp(`^${escaped(path)}$`), /^adapters\//), ...kit];
    // A method is called.
    const called = (key: string): boolean => readers.some(({ text }) => text.includes(`.${key}(`));
    expect(keys.filter((key) => !isRead(key, readers) && !called(key))).toEqual([]);
  });

  it('of the settings', () => {
    const own = code.filter(({ path }) => path.startsWith('src/settings'));
    const unused = describeSettings().filter(({ name }) => !own.some(({ text }) => text.includes(`values.${name}`)));
    expect(unused.map(({ name }) => name)).toEqual([]);
    const fields = [
      ...keysOf('src/settings.ts', 'Settings'),
      ...keysOf('src/settings-api.ts', 'ListenSettings'),
      ...keysOf('src/settings-api.ts', 'ApiSettings'),
      ...keysOf('src/settings-operator.ts', 'OperatorSettings'),
      ...keysOf('src/settings-oidc.ts', 'OidcSettings'),
    ];
    const readers = without(code, /^src\/settings/);
    expect(fields.filter((field) => !isRead(field, readers))).toEqual([]);
  });
});

describe('a word of a closed list has a producer', () => {
  it('among the reasons of refusals', () => {
    const declaration = declared('src/core/reading.ts', /export const REFUSALS/);
    expect(declaration).toContain('local-time-repeated');
    // What a source, an operator or a simulator makes of a reason produces no refusal.
    const producers = without(
      code,
      /refusal-remedies/,
      /^src\/(source|simulator|operator|commands)\//,
      /\/simulator/,
    ).map(({ path, text }) => ({
      path,
      text: path === 'src/core/reading.ts' ? text.slice(text.indexOf('as const;')) : text,
    }));
    expect(Object.keys(REFUSALS).filter((reason) => !isProduced(reason, producers))).toEqual([]);
  });

  it('among the codes of faults', () => {
    const codes = [...declared('src/core/errors.ts', /export type Fault =/).matchAll(/code: '([\w-]+)'/g)].map(
      ([, one = '']) => one,
    );
    expect(codes).toContain('too-much');
    const producers = code.map(({ path, text }) => ({
      path,
      text: text.replace(/export type Fault =[\s\S]*?;\n/, ''),
    }));
    expect(codes.filter((one) => !isProduced(one, producers))).toEqual([]);
  });

  it('among the reasons for which a platform cannot be reached', () => {
    const reasons = [...declared('src/core/errors.ts', /export type Unreachable =/).matchAll(/'([\w-]+)'/g)].map(
      ([, one = '']) => one,
    );
    expect(reasons).toContain('blocked');
    expect(reasons.filter((one) => !isProduced(one, without(code, /^src\/core\/errors\.ts$/)))).toEqual([]);
  });
});

/** Files with texts for operators. */
const pages: readonly Text[] = [
  ...code,
  ...[
    'compose.yaml',
    'Dockerfile',
    // Decisions tell of commands that were removed since.
    ...markdownPages().filter((path) => path !== 'DECISIONS.md' && !path.startsWith('test/')),
  ].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
];

/** Words that follow the name of the program in sentences. */
const PROSE = new Set([
  'is',
  'asks',
  'needs',
  'but',
  'as',
  'at',
  'that',
  'runs',
  'itself',
  'process',
  'processes',
  'health',
  'if',
  'queue',
  'brings',
  'commands',
  'in',
  'against',
  'kept',
  'or',
]);

/** The mentions of commands in a text that the program does not have, and options that a mentioned command does not have. */
function unknownCommands(program: Command, { path, text }: Text): string[] {
  return [...text.matchAll(/(?<![\w/@{.-])databridge ((?:[a-z][a-z-]*)(?: +[^`'"\n;,)|\\]*)?)/g)].flatMap(
    ([, rest = '']) => {
      const words = rest.split(' ');
      let command = program;
      let used = 0;
      for (let next = subcommand(command, words[used]); next !== undefined; next = subcommand(command, words[used])) {
        command = next;
        used += 1;
      }
      if (command === program) return PROSE.has(words[0] ?? '') ? [] : [`${path}: databridge ${words[0]}`];
      const missing =
        command.commands.length > 0 && /^[a-z]+$/.test(words[used] ?? '')
          ? [`${path}: databridge ${words.slice(0, used + 1).join(' ')}`]
          : [];
      const options = words.slice(used).flatMap((word) => /^--[a-z][a-z-]*/.exec(word)?.[0] ?? []);
      const known = command.options.map(({ long }) => long);
      return [
        ...missing,
        ...options
          .filter((option) => option !== '--help' && !known.includes(option))
          .map((option) => `${path}: ${command.name()} ${option}`),
      ];
    },
  );
}

const subcommand = (command: Command, name: string | undefined): Command | undefined =>
  command.commands.find((one) => one.name() === name || one.aliases().includes(name ?? ''));

describe('a text for operators', () => {
  it('names only commands and options that there are', async () => {
    const program = await programOf();
    expect(pages.flatMap((page) => unknownCommands(program, page))).toEqual([]);
  });

  it('names only settings that there are', () => {
    const settings = new Set(describeSettings().map(({ name }) => name));
    const read = new Set(
      [...code, { path: 'bin', text: readFileSync(join(ROOT, 'bin/databridge.js'), 'utf8') }].flatMap(({ text }) =>
        [...text.matchAll(/(?:env|environment)(?:\.|\[')(DATABRIDGE_\w+)|\.env\('(DATABRIDGE_\w+)'\)/g)].map(
          ([, one, other]) => one ?? other,
        ),
      ),
    );
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bDATABRIDGE_[A-Z_]*[A-Z]\b/g)].map(([name]) => ({ path, name })),
    );
    expect(named.filter(({ name }) => !settings.has(name) && !read.has(name))).toEqual([]);
  });
});

describe('the check itself', () => {
  it('finds a field, a word and a command that are declared and not there', async () => {
    const reader = [
      {
        path: 'x',
        text: "const { used, renamed: other } = field; take(field.inner); if (word === 'compared') return 'made';",
      },
    ];
    expect(['used', 'renamed', 'inner', 'unused'].map((name) => isRead(name, reader))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(['made', 'compared', 'unknown'].map((word) => isProduced(word, reader))).toEqual([true, false, false]);
    const text = 'try: databridge source heal x, then databridge source list --loud, databridge fly, databridge is up';
    expect(unknownCommands(await programOf(), { path: 'x', text })).toEqual([
      'x: databridge source heal',
      'x: list --loud',
      'x: databridge fly',
    ]);
  });
});
