import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMapping } from '../core/source/path.ts';
import { problemAtStart, readDocuments } from './document.ts';
import type { ReadSource } from './document.ts';

export type { ReadSource } from './document.ts';

/** Operators write sources by hand; a longer file holds something else. Bytes. */
const LONGEST_FILE = 1024 * 1024;

/**
 * Reads a YAML file (one source a document), a directory of `*.yaml` and `*.yml` (without its subdirectories), or
 * standard input for `-`. A fault of a file is not thrown: each problem comes with its file, line and column, in the
 * order of the files. A name that stands twice in one organisation is a problem.
 */
export async function readSources(
  pathOrDirectory: string,
  given: { readonly stdin?: AsyncIterable<Uint8Array> } = {},
): Promise<readonly ReadSource[]> {
  if (pathOrDirectory === '-') return refuseRepeatedNames(await readStdin(given.stdin ?? process.stdin));
  const files = await filesOf(pathOrDirectory);
  if (typeof files === 'string')
    return [problemAtStart(pathOrDirectory, files, 'give a YAML file or a directory of them')];
  if (files.length === 0)
    return [problemAtStart(pathOrDirectory, 'holds no *.yaml file', 'put one file for each source there')];
  const read: ReadSource[] = [];
  for (const file of files) read.push(...(await readOne(file)));
  return refuseRepeatedNames(read);
}

async function readStdin(stdin: AsyncIterable<Uint8Array>): Promise<readonly ReadSource[]> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LONGEST_FILE) break;
  }
  return decode('-', Buffer.concat(chunks));
}

/** The files to read, or in words why there are none. */
async function filesOf(path: string): Promise<readonly string[] | string> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path);
    return entries
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    return reasonOf(error);
  }
}

async function readOne(file: string): Promise<readonly ReadSource[]> {
  try {
    if ((await stat(file)).size > LONGEST_FILE) return [tooLong(file)];
    return decode(file, await readFile(file));
  } catch (error) {
    return [problemAtStart(file, reasonOf(error), 'check the path and its permissions')];
  }
}

function decode(file: string, bytes: Uint8Array): readonly ReadSource[] {
  if (bytes.length > LONGEST_FILE) return [tooLong(file)];
  try {
    return readDocuments(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return [problemAtStart(file, 'is not UTF-8 text', 'save it as UTF-8')];
  }
}

const tooLong = (file: string): ReadSource =>
  problemAtStart(file, 'is longer than 1 MiB', 'give one file for each source');

/** The first source of a name stays; every further source of that name and organisation becomes a problem. */
function refuseRepeatedNames(read: readonly ReadSource[]): readonly ReadSource[] {
  const first = new Map<string, string>();
  return read.map((one) => {
    if (!one.ok || !isMapping(one.input) || typeof one.input['name'] !== 'string') return one;
    const { name, organisation = 'default' } = one.input;
    const key = JSON.stringify([organisation, name]);
    const { line, column } = one.locate('name');
    const before = first.get(key);
    first.set(key, before ?? `${one.file}:${line}`);
    if (before === undefined) return one;
    const message = `a source ${JSON.stringify(name)} already stands at ${before}`;
    const remedy = 'give one of them another name';
    return { ok: false, file: one.file, document: one.document, line, column, message, remedy };
  });
}

/** Why a file cannot be read, in words that follow its name. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    { ENOENT: 'does not exist', EACCES: 'may not be read', EISDIR: 'is a directory' }[code] ??
    `cannot be read (${code})`
  );
}
