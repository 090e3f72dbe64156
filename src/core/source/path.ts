/** The path of a value in a source: keys and list positions from the top. */
export type Path = readonly PropertyKey[];

const PLAIN = /^[A-Za-z0-9_-]+$/;

/** `['sensors', 2, 'values', 'a.b']` → `sensors[2].values["a.b"]`, as messages and differences show it. */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (PLAIN.test(String(part))) text += text === '' ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}

const PART = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([A-Za-z0-9_-]+)/gy;

/** The reverse of `formatPath`; undefined where the text is not a path. */
export function parsePath(text: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  let read = 0;
  for (const [whole, position, quoted, plain] of text.matchAll(PART)) {
    read += whole.length;
    if (position !== undefined) path.push(Number(position));
    else if (quoted !== undefined) path.push(String(JSON.parse(quoted)));
    else if (plain !== undefined) path.push(plain);
  }
  return read === text.length ? path : undefined;
}

/** Whether a value is a mapping of YAML or JSON: an object that is neither a list nor null. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path, or undefined. Only own keys count, so `constructor` is a key like any other. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[part];
  }
  return found;
}
