/** The source that is being registered: its YAML is the truth, and the form is a view of it. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { isMap, isScalar, parseDocument } from 'yaml';
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
  // With what is drawn: a text that was changed in between would not come to the form.
  useLayoutEffect(() => {
    const act = (): void => show(draft);
    watchers.add(act);
    return () => void watchers.delete(act);
  }, []);
  return shown;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Parsed {
  /** Undefined where the text has no fields that a form could change. */
  readonly values: Values | undefined;
  /** Where the text is no YAML. */
  readonly flaw: Flaw | undefined;
  /** The text is not read, because the page would stand still meanwhile. */
  readonly isTooLong: boolean;
}

/** The characters that are read within 0.1 s. */
const MOST_READ = 60_000;

export function parsed(yaml: string): Parsed {
  if (yaml.length > MOST_READ) return { values: undefined, flaw: undefined, isTooLong: true };
  const document = parseDocument(yaml);
  const [error] = document.errors;
  const hasFields = error === undefined && (document.contents === null || isMap(document.contents));
  const { line = 0, col: column = 0 } = error?.linePos?.[0] ?? {};
  return {
    values: hasFields ? ((document.toJS() ?? {}) as Values) : undefined,
    flaw: error && { line, column, text: error.message.split('\n')[0] ?? '' },
    isTooLong: false,
  };
}

export function valueAt(values: Values, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], values);
}

/** The text with one field changed; comments and the order of all others stay. Undefined takes the field away. */
export function withField(yaml: string, path: readonly string[], value: unknown): string {
  const document = parseDocument(yaml);
  const [part = ''] = path;
  // A part that is begun, such as `schedule:`, takes no field before it is a mapping.
  if (path.length > 1 && isScalar(document.get(part, true))) document.set(part, document.createNode({}));
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}
