import { isMapping } from '../core/source/path.ts';
import { draftText } from './draft.ts';
import { inWrittenOrder } from './shown-config.ts';

/** A stored configuration that becomes a file. */
export interface ConfigToWrite {
  /** Its JSON. */
  readonly text: string;
  /** Values that stand in the places of its own. */
  readonly replaced: readonly (readonly [path: readonly (string | number)[], value: string])[];
  /** What stands above the keys with these paths, like `options.database`. */
  readonly comments: readonly (readonly [path: string, text: string])[];
}

/** The file. It takes seconds for one of megabytes. */
export function configAsYaml({ text, replaced, comments }: ConfigToWrite): string {
  const config: unknown = JSON.parse(text);
  for (const [path, value] of replaced) replace(config, path, value);
  return draftText(isMapping(config) ? inWrittenOrder(config) : {}, [], new Map(comments));
}

function replace(holder: unknown, [key, ...rest]: readonly (string | number)[], value: string): void {
  if (key === undefined || typeof holder !== 'object' || holder === null) return;
  const fields = holder as Record<string | number, unknown>;
  if (rest.length > 0) replace(fields[key], rest, value);
  else fields[key] = value;
}
