/** The source that is being registered: its YAML is the truth, and the form is a view of it. */
import { useEffect, useState } from 'preact/hooks';
import { isMap, parseDocument } from 'yaml';

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
  readonly flaw: { readonly line: number; readonly text: string } | undefined;
}

export function parsed(yaml: string): Parsed {
  const document = parseDocument(yaml);
  const [error] = document.errors;
  const values: unknown = error === undefined && isMap(document.contents) ? document.toJS() : {};
  return {
    values: values as Parsed['values'],
    flaw: error && { line: error.linePos?.[0].line ?? 0, text: error.message.split('\n')[0] ?? '' },
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
