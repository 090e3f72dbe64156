import { formatPath, isMapping } from './path.ts';
import { parseReference } from './reference.ts';

/** One thing an operator changed; undefined where nothing was written. */
export interface Difference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** As much of a source as a comparison needs. */
interface Written {
  readonly raw: unknown;
  readonly secrets: readonly string[];
}

/**
 * What differs between two versions of a source as they were written, field by field. Sensors are matched by their
 * `id`, not by their place. A secret is `(secret)` and, where it is another one, `(secret changed)`; only references
 * (`${env:X}`) are shown, for they hold none.
 */
export function describeDifference(before: Written, after: Written): readonly Difference[] {
  const old = leavesOf(before);
  const young = leavesOf(after);
  const paths = new Set([...old.keys(), ...young.keys()]);
  const differences: Difference[] = [];
  for (const path of paths) {
    const [left, right] = [old.get(path), young.get(path)];
    if (left?.text === right?.text) continue;
    // A field that is a secret in either version is one in both: its kind may have changed.
    const secret = left?.secret === true || right?.secret === true;
    const hidden = left === undefined ? '(secret)' : '(secret changed)';
    differences.push({
      path,
      before: left && (secret ? masked(left.text, '(secret)') : left.text),
      after: right && (secret ? masked(right.text, hidden) : right.text),
    });
  }
  return differences;
}

const masked = (text: string, mask: string): string => (parseReference(text) === undefined ? mask : text);

type Leaves = Map<string, { readonly text: string; readonly secret: boolean }>;

function leavesOf({ raw, secrets }: Written): Leaves {
  const hidden = new Set(secrets);
  const leaves: Leaves = new Map();
  // `place` is where a value really stands (as in `secrets`), `path` is what it is compared and shown as.
  function visit(value: unknown, place: string, path: string): void {
    if (isMapping(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, join(place, key), join(path, key));
    } else if (Array.isArray(value) && value.some(isMapping)) {
      const ids = value.map((item) => (isMapping(item) ? item['id'] : undefined));
      const named = new Set(ids).size === ids.length && ids.every((id) => typeof id === 'string');
      for (const [index, item] of value.entries())
        visit(item, `${place}[${index}]`, `${path}[${named ? String(ids[index]) : index}]`);
    } else if (value !== undefined) {
      const secret =
        hidden.has(place) || (Array.isArray(value) && value.some((_, index) => hidden.has(`${place}[${index}]`)));
      leaves.set(path, { text: typeof value === 'string' ? value : JSON.stringify(value), secret });
    }
  }
  visit(raw, '', '');
  return leaves;
}

const join = (path: string, key: string): string => {
  const part = formatPath([key]);
  return path === '' || part.startsWith('[') ? `${path}${part}` : `${path}.${part}`;
};
