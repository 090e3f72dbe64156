import type { Instant } from '../../core/instant.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { registry } from '../../context.ts';
import type { Platform } from '../../platform/contract.ts';
import { readConfigs } from '../../source/configs.ts';
import type { FileProblem } from '../../source/configs.ts';
import { EXIT, printJson } from '../../terminal/output.ts';

/** This host's clock, because commands on source files do without the database and its shared clock. */
export const localNow = (): Instant => Date.now() * 1000;

/** The platform that a parsed source names. */
export const platformOf = (config: SourceConfig): Platform =>
  registry.platforms.find(({ name }) => name === config.platform) as Platform;

/**
 * The sources in a file, in a directory or (`-`) on standard input. Where a source is wrong, prints every problem with
 * its place and remedy, sets exit code 2 and returns undefined.
 */
export async function sourcesIn(path: string, json: boolean): Promise<readonly SourceConfig[] | undefined> {
  const { sources, problems } = await readConfigs(path, registry, localNow());
  if (problems.length === 0) return sources;
  process.exitCode = EXIT.usage;
  if (json) printJson({ problems });
  else for (const problem of problems) process.stderr.write(problemText(problem));
  return undefined;
}

function problemText({ file, line, column, path, message, remedy }: FileProblem): string {
  const field = path === '' ? '' : `${path} `;
  return `${file}:${line}:${column}: ${field}${message}\n  try: ${remedy}\n`;
}
