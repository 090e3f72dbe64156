/** The source that is being registered: its YAML is the truth, and the form is a view of it. */
import { useEffect, useState } from 'preact/hooks';
import { isMap, parseDocument } from 'yaml';
import type { Flaw } from '../parts/yaml-editor.ts';

export interface Draft {
  readonly platform: string | undefined;
  readonly yaml: string;
}

// Kept while the page is left, and nowhere but in memory: a draft may hold a password.
let draft: Draft = { platform: undefined, yaml: '' };
const watchers = new Set<() => void>();

export function setDraft(next: Draft): void {
  draft = next;
  for (const act of watchers) act();
}

export function useDraft(): Draft {
  const [shown, show] = useState(draft);
  useEffect(() => {
    const act = (): void => show(draft);
    watchers.add(act);
    return () => void watchers.delete(act);
  }, []);
  return shown;
}

export interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  /** Where the text is no YAML. */
  readonly flaw: Flaw | undefined;
  /** The text is not read, because the page would stand still meanwhile. */
  readonly isTooLong: boolean;
}

/** The characters that are read within 0.1 s. */
const MOST_READ = 60_000;

export function parsed(yaml: string): Parsed {
  if (yaml.length > MOST_READ) return { values: {}, flaw: undefined, isTooLong: true };
  const document = parseDocument(yaml);
  const [error] = document.errors;
  const values: unknown = error === undefined && isMap(document.contents) ? document.toJS() : {};
  const { line = 0, col: column = 0 } = error?.linePos?.[0] ?? {};
  return {
    values: values as Parsed['values'],
    flaw: error && { line, column, text: error.message.split('\n')[0] ?? '' },
    isTooLong: false,
  };
}

export function valueAt(values: Parsed['values'], path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], values);
}

/** The text with one field changed; comments and the order of all others stay. Undefined takes the field away. */
export function withField(yaml: string, path: readonly string[], value: unknown): string {
  const document = parseDocument(yaml);
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}
