import type { Instant } from '../../core/instant.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { registry, registryFor } from '../../context-registry.ts';
import { platformsFor } from '../../platform/platforms-for.ts';
import { loadedOf } from '../../platform/registry.ts';
import type { Platform } from '../../platform/contract.ts';
import type { Registry } from '../../platform/registry.ts';
import { readSettings } from '../../settings.ts';
import { readConfigFiles } from '../../source/configs.ts';
import type { ConfigFile, FileProblem } from '../../source/configs.ts';
import { EXIT, printJson } from '../../terminal/output.ts';

/** This host's clock, because commands on source files do without the database and its shared clock. */
export const localNow = (): Instant => Date.now() * 1000;

/** The platforms of adapters that `sourcesIn` has loaded, by their references. */
const adapters = new Map<string, Platform>();

/** The registry for a source of `sourcesIn`: with the platform of its adapter, where it has one. */
export function registryOf({ adapter = '' }: SourceConfig): Registry {
  const platform = adapters.get(adapter);
  return platform === undefined ? registry : { ...registry, platforms: [...registry.platforms, platform] };
}

/** The platform that a source of `sourcesIn` names. */
export async function platformOf(config: SourceConfig): Promise<Platform> {
  const [platform] = await loadedOf(registryOf(config).platforms, [config.platform]);
  return platform as Platform;
}

/** The files at a path, each with its sources or its problems; loads the adapters that the sources name. */
export async function filesAt(path: string): Promise<readonly ConfigFile[]> {
  const allowed = registryFor(readSettings(process.env));
  const files = await readConfigFiles(path, allowed, localNow());
  for (const one of files.flatMap(({ sources }) => sources)) {
    if (one.adapter === undefined) continue;
    const [platform] = await loadedOf(await platformsFor(allowed, one), [one.platform]);
    if (platform !== undefined) adapters.set(one.adapter, platform);
  }
  return files;
}

/**
 * The sources in a file, in a directory or (`-`) on standard input. Where a source is wrong, prints every problem with
 * its place and remedy, sets exit code 2 and returns undefined.
 */
export async function sourcesIn(path: string, json: boolean): Promise<readonly SourceConfig[] | undefined> {
  const files = await filesAt(path);
  const problems = files.flatMap((one) => one.problems);
  if (problems.length === 0) return files.flatMap(({ sources }) => sources);
  printProblems(problems, json);
  return undefined;
}

/** Prints problems of files with their places and remedies, and sets exit code 2. */
export function printProblems(problems: readonly FileProblem[], json: boolean): void {
  process.exitCode = EXIT.usage;
  if (json) printJson({ problems });
  else for (const problem of problems) process.stderr.write(problemText(problem));
}

function problemText({ file, line, column, path, message, remedy }: FileProblem): string {
  const field = path === '' ? '' : `${path} `;
  return `${file}:${line}:${column}: ${field}${message}\n  try: ${remedy}\n`;
}
