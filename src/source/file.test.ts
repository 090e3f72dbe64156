import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSources } from './file.ts';
import type { ReadSource } from './file.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'databridge-sources-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, content);
  return file;
}

/** `influx.yaml#0 {…}` for a source, `influx.yaml:2:3 message; remedy` for a problem. */
const line = (read: ReadSource): string => {
  const file = read.file.replace(`${directory}/`, '');
  if (read.ok) return `${file}#${read.document} ${JSON.stringify(read.input)}`;
  return `${file}:${read.line}:${read.column} ${read.message}; ${read.remedy}`;
};

const lines = async (path: string): Promise<readonly string[]> => (await readSources(path)).map(line);

describe('reading sources', () => {
  it('finds one source in each document of a file and passes over empty documents', async () => {
    const file = await put('two.yaml', '---\n# nothing\n---\nname: a\n---\nname: b\n---\n');
    expect(await lines(file)).toStrictEqual(['two.yaml#1 {"name":"a"}', 'two.yaml#2 {"name":"b"}']);
  });

  it('finds every *.yaml and *.yml of a directory in the order of their names, and no other file', async () => {
    await put('b.yml', 'name: b');
    await put('a.yaml', 'name: a');
    await put('.hidden.yaml', 'name: c');
    await put('notes.txt', 'name: d');
    await mkdir(join(directory, 'inner.d'));
    expect(await lines(directory)).toStrictEqual(['a.yaml#0 {"name":"a"}', 'b.yml#0 {"name":"b"}']);
  });

  it('reads standard input for "-"', async () => {
    async function* stdin() {
      yield* [Buffer.from('name: h'), Buffer.from('all\n')];
    }
    expect((await readSources('-', { stdin: stdin() })).map(line)).toStrictEqual(['-#0 {"name":"hall"}']);
  });

  it('reads YAML 1.2: times, instants and words like "no" stay text', async () => {
    const file = await put('a.yaml', 'from: 22:00\nstart: 2026-01-01T00:00:00Z\nbooleans: no\npassword: ${env:X}\n');
    expect(await lines(file)).toStrictEqual([
      'a.yaml#0 {"from":"22:00","start":"2026-01-01T00:00:00Z","booleans":"no","password":"${env:X}"}',
    ]);
  });

  it('locates a path, or the nearest part of it that is written', async () => {
    const file = await put(
      'a.yaml',
      '# c\nname: a\nsensors:\n  - id: x\n    as: y\n  - id: z\nschedule: { every: 0s }\n',
    );
    const [read] = await readSources(file);
    const at = (path: string) => (read?.ok ? Object.values(read.locate(path)).join(':') : '');
    expect(
      ['name', 'sensors[0].as', 'sensors[1]', 'schedule.every', 'schedule.zzz', 'project', ''].map(at),
    ).toStrictEqual(['2:1', '5:5', '6:5', '7:13', '7:1', '2:1', '2:1']);
  });
});

describe('a problem of a file', () => {
  const quote = 'put text that begins with a special character in quotes';
  it.each([
    ['name: a\nname: b\n', '2:1 the key name stands twice; take one of them out'],
    ['a:\n\tb: 1\n', '2:1 a tab cannot indent; indent with spaces'],
    ['a:\n  b: 1\n c: 2\n', '3:1 the indentation fits nothing above it; put the keys of one block in the same column'],
    ['a: b: c\n', '1:4 there are two colons in one line; begin a new line, or put text with ": " in quotes'],
    ['p: @hunter2\n', `1:4 text cannot begin with this character; ${quote}`],
    ['a: b\nc: "d\\0"\n', '2:4 this text holds NUL or half a surrogate pair; leave the character out'],
    ['a: {"\\ud800": 1}\n', '1:5 this text holds NUL or half a surrogate pair; leave the character out'],
    [
      'a: &a [*a]\n',
      '1:8 this alias stands inside its own anchor, so the value would hold itself; write the value out',
    ],
    [
      'a: &a {b: &b [*a]}\n',
      '1:15 this alias stands inside its own anchor, so the value would hold itself; write the value out',
    ],
    ['p: *hunter2\n', `1:4 text that begins with * is an alias, and no anchor has its name; ${quote}`],
    ['p: !hunter2\n', `1:4 text that begins with ! is a tag, and sources use no tags; ${quote}`],
    [
      'a: {p: ${env:X}}\n',
      '1:9 this does not belong here; put text with special characters in quotes; inside { } also "${env:NAME}"',
    ],
    [
      'a: "hunter2\n',
      '2:1 a quote, bracket, colon, comma or space is missing; look for its place here and in the lines above',
    ],
    ['# nothing\n', '1:1 holds no source; begin it with "name: …"'],
    ['', '1:1 holds no source; begin it with "name: …"'],
  ])('in %j has our own message and its place', async (content, problem) => {
    expect(await lines(await put('a.yaml', content))).toStrictEqual([`a.yaml:${problem}`]);
  });

  it('is a document whose nested aliases expand without end', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );
    const file = await put('a.yaml', ['l0: &l0 [x]', ...levels].join('\n'));
    expect(await lines(file)).toStrictEqual([
      'a.yaml:1:1 holds too many aliases; write the values out, or use at most 50',
    ]);
  });

  it('in one document leaves the other documents readable', async () => {
    const file = await put('a.yaml', 'name: a\nname: a\n---\nname: b\n');
    expect(await lines(file)).toStrictEqual([
      'a.yaml:2:1 the key name stands twice; take one of them out',
      'a.yaml#1 {"name":"b"}',
    ]);
  });

  it('is the second source of a name in one organisation', async () => {
    await put('a.yaml', 'name: hall\n---\nname: hall\norganisation: other\n');
    await put('b.yaml', '# c\nname: hall\norganisation: default\n');
    expect(await lines(directory)).toStrictEqual([
      'a.yaml#0 {"name":"hall"}',
      'a.yaml#1 {"name":"hall","organisation":"other"}',
      `b.yaml:2:1 a source "hall" already stands at ${directory}/a.yaml:1; give one of them another name`,
    ]);
  });

  it('is a path without a file, a file that is not text, and a file that is too long', async () => {
    expect(await lines(directory)).toStrictEqual([
      `${directory}:1:1 holds no *.yaml file; put one file for each source there`,
    ]);
    expect(await lines(join(directory, 'none.yaml'))).toStrictEqual([
      'none.yaml:1:1 does not exist; give a YAML file or a directory of them',
    ]);
    expect(await lines(await put('a.yaml', Uint8Array.of(0xff, 0xfe)))).toStrictEqual([
      'a.yaml:1:1 is not UTF-8 text; save it as UTF-8',
    ]);
    expect(await lines(await put('a.yaml', '#'.repeat(1024 * 1024 + 1)))).toStrictEqual([
      'a.yaml:1:1 is longer than 1 MiB; give one file for each source',
    ]);
  });
});
