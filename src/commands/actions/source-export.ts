import { mkdir, readdir, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../../core/counted.ts';
import { configInvalid } from '../../core/errors.ts';
import { withContext } from '../../context.ts';
import { registry } from '../../context-registry.ts';
import { exportSource } from '../../source/export.ts';
import type { ExportedSource } from '../../source/export.ts';
import { allSources, findSources } from '../../source/find-source.ts';
import type { FoundSource } from '../../source/find-source.ts';
import { printExactly, printJson, printLine } from '../../terminal/output.ts';
import { wrapped } from '../../terminal/words.ts';

interface ExportOptions {
  readonly all?: boolean;
  readonly into?: string;
  readonly organisation?: string;
  readonly json?: boolean;
}

/** `source export`. */
export async function sourceExport(names: readonly string[], options: ExportOptions): Promise<void> {
  const { all = false, into, organisation } = options;
  if (all === names.length > 0)
    throw configInvalid(
      'name sources, or give --all',
      'databridge source export hall-3, or --all --into sources/',
      'name',
    );
  const exported = await withContext(async ({ database }) => {
    const found: readonly FoundSource[] = all
      ? await allSources(database, organisation)
      : await findSources(database, names, organisation);
    const made: ExportedSource[] = [];
    for (const one of found) made.push(await exportSource(database, registry, one));
    return made;
  });
  if (into !== undefined) await writeAll(into, exported);
  if (options.json) printJson(exported.map(({ yaml, ...one }) => ({ ...one, ...(into === undefined && { yaml }) })));
  else if (into === undefined) printExactly(exported.map(({ yaml }) => yaml.trimEnd()).join('\n---\n'));
  else tell(into, exported);
}

function tell(into: string, exported: readonly ExportedSource[]): void {
  printLine(`${counted(exported.length, 'file')} in ${into}`);
  const variables = exported.flatMap((one) => one.variables);
  if (variables.length === 0) return;
  printLine(
    wrapped('These variables stand for secrets. Set them where databridge up runs, before you apply the files:'),
  );
  for (const variable of variables) printLine(`  ${variable}`);
}

/** Writes all files or none, into a directory that is new or empty. */
async function writeAll(into: string, exported: readonly ExportedSource[]): Promise<void> {
  const written: string[] = [];
  try {
    await mkdir(into, { recursive: true });
    if ((await readdir(into)).length > 0)
      throw configInvalid(
        `${into} is not empty`,
        'give another directory with --into, or move its files away',
        '--into',
      );
    for (const { file, yaml } of exported) {
      const path = join(into, file);
      written.push(path);
      await writeFile(path, yaml, { flag: 'wx' });
    }
  } catch (error) {
    for (const path of written) await unlink(path).catch(() => undefined);
    if (written.length > 0) await rmdir(into).catch(() => undefined);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw configInvalid(
      `${into} cannot be written: ${error.message}`,
      'free disk space, or name another directory',
      '--into',
    );
  }
}
