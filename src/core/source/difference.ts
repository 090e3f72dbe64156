import { formatPath, isMapping } from './path.ts';
import { parseReference } from './reference.ts';

/** One field that an operator changed; `before` or `after` is undefined where the field was not written. */
export interface Difference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The part of a source that a comparison needs. */
interface Written {
  readonly raw: unknown;
  readonly secrets: readonly string[];
}

/**
 * The differences between two versions of a source as they were written, field by field. Sensors are matched by their
 * `id`, not by their position. A secret is shown as `(secret)`, a changed one as `(secret changed)`. References
 * (`${env:X}`) are shown, because they hold no secret.
 */
export function describeDifference(before: Written, after: Written): readonly Difference[] {
  const leavesBefore = leavesOf(before);
  const leavesAfter = leavesOf(after);
  const paths = new Set([...leavesBefore.keys(), ...leavesAfter.keys()]);
  const differences: Difference[] = [];
  for (const path of paths) {
    const [old, current] = [leavesBefore.get(path), leavesAfter.get(path)];
    if (old?.text === current?.text) continue;
    // A field that is a secret in one version is hidden in both, because the kind of the source may have changed.
    const secret = old?.secret === true || current?.secret === true;
    const mask = old === undefined ? '(secret)' : '(secret changed)';
    differences.push({
      path,
      before: old && (secret ? masked(old.text, '(secret)') : old.text),
      after: current && (secret ? masked(current.text, mask) : current.text),
    });
  }
  return differences;
}

const masked = (text: string, mask: string): string => (parseReference(text) === undefined ? mask : text);

type Leaves = Map<string, { readonly text: string; readonly secret: boolean }>;

function leavesOf({ raw, secrets }: Written): Leaves {
  const hidden = new Set(secrets);
  const leaves: Leaves = new Map();
  // `writtenPath` is the path in the source, as in `secrets`; `path`, which names sensors by id, is compared and shown.
  function visit(value: unknown, writtenPath: string, path: string): void {
    if (isMapping(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, join(writtenPath, key), join(path, key));
    } else if (Array.isArray(value) && value.some(isMapping)) {
      const ids = value.map((item) => (isMapping(item) ? item['id'] : undefined));
      const named = new Set(ids).size === ids.length && ids.every((id) => typeof id === 'string');
      for (const [index, item] of value.entries())
        visit(item, `${writtenPath}[${index}]`, `${path}[${named ? String(ids[index]) : index}]`);
    } else if (value !== undefined) {
      const secret =
        hidden.has(writtenPath) ||
        (Array.isArray(value) && value.some((_, index) => hidden.has(`${writtenPath}[${index}]`)));
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
