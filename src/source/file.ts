import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { configInvalid } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { isMapping } from '../core/source/path.ts';
import { parseSource } from '../core/source/source.ts';
import type { SourceConfig, SourceProblem } from '../core/source/source.ts';
import type { Registry } from '../platform/contract.ts';
import { readDocuments } from './document.ts';
import type { ReadSource } from './document.ts';

export type { ReadSource } from './document.ts';

/** One problem of one file, as every command that reads sources shows it; line and column count from 1. */
export interface FileProblem extends SourceProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A file of sources is written by hand; what is longer is something else. */
const LONGEST_FILE = 1024 * 1024;

/**
 * Reads what operators wrote: a YAML file (one source a document), a directory of `*.yaml` and `*.yml` (not those
 * below it), or `-` for standard input. Nothing is thrown for what is wrong with the files: each problem comes with
 * its file, line and column, in the order of the files. A name that two sources of one organisation share is one.
 */
export async function readSources(
  pathOrDirectory: string,
  given: { readonly stdin?: AsyncIterable<Uint8Array> } = {},
): Promise<readonly ReadSource[]> {
  if (pathOrDirectory === '-') {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of given.stdin ?? process.stdin) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > LONGEST_FILE) break;
    }
    return withoutNamesakes(decode('-', Buffer.concat(chunks)));
  }
  const files = await filesOf(pathOrDirectory);
  if (typeof files === 'string') return [problem(pathOrDirectory, files, 'give a YAML file or a directory of them')];
  if (files.length === 0)
    return [problem(pathOrDirectory, 'holds no *.yaml file', 'put one file for each source there')];
  const read: ReadSource[] = [];
  for (const file of files) read.push(...(await readOne(file)));
  return withoutNamesakes(read);
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
    if ((await stat(file)).size > LONGEST_FILE) return decode(file, undefined);
    return decode(file, await readFile(file));
  } catch (error) {
    return [problem(file, reasonOf(error), 'check the path and who may read it')];
  }
}

function decode(file: string, bytes: Uint8Array | undefined): readonly ReadSource[] {
  if (bytes === undefined || bytes.length > LONGEST_FILE)
    return [problem(file, 'is longer than 1 MiB', 'give one file for each source')];
  try {
    return readDocuments(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return [problem(file, 'is not UTF-8 text', 'save it as UTF-8')];
  }
}

function withoutNamesakes(read: readonly ReadSource[]): readonly ReadSource[] {
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
    return {
      ok: false,
      file: one.file,
      document: one.document,
      line,
      column,
      message,
      remedy: 'give one of them another name',
    };
  });
}

const problem = (file: string, message: string, remedy: string): ReadSource => ({
  ok: false,
  file,
  document: 0,
  line: 1,
  column: 1,
  message,
  remedy,
});

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    { ENOENT: 'does not exist', EACCES: 'may not be read', EISDIR: 'is a directory' }[code] ??
    `cannot be read (${code})`
  );
}

/** All sources below a path, parsed; every problem of every file, not only the first. */
export async function readConfigs(
  path: string,
  { platforms, kinds }: Registry,
  now: Instant,
): Promise<{ sources: SourceConfig[]; problems: FileProblem[] }> {
  const sources: SourceConfig[] = [];
  const problems: FileProblem[] = [];
  for (const read of await readSources(path)) {
    if (!read.ok) {
      const { file, line, column, message, remedy } = read;
      problems.push({ file, line, column, path: '', message, remedy });
      continue;
    }
    const parsed = parseSource(read.input, platforms, { kinds, now });
    if (parsed.ok) sources.push(parsed.source);
    else {
      problems.push(
        ...parsed.problems.map((problem) => ({ file: read.file, ...read.locate(problem.path), ...problem })),
      );
    }
  }
  if (sources.length === 0 && problems.length === 0) {
    throw configInvalid(`there is no source in ${path}`, 'give a YAML file, or a directory that holds some');
  }
  return { sources, problems };
}
