import type { Instant } from '../core/instant.ts';
import { parseSource } from '../core/source/source.ts';
import type { SourceConfig, SourceProblem } from '../core/source/source.ts';
import type { Registry } from '../platform/contract.ts';
import { readSources } from './file.ts';

/** One problem of one file, as every command that reads sources shows it; line and column count from 1. */
export interface FileProblem extends SourceProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Parses every source at a path (see `readSources`) and collects every problem of every file. */
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
  return { sources, problems };
}
