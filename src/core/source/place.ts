import { isMapping, parsePath, valueAt } from './path.ts';
import { parseReference } from './reference.ts';

/** A field that says where the data of a source is, and that changed. */
export interface MovedField {
  readonly path: string;
  /** The field is or was a reference such as `${env:X}`: its text was compared, because a comparison opens no secret. */
  readonly byText: boolean;
}

/**
 * The fields among `paths` in which two parsed sources of one platform differ. A field may be a whole block, such as a request.
 * Notations of one address are equal, and so are two orders of the keys of a mapping: the database keeps an order of its own.
 */
export function movedFields(paths: readonly string[], before: unknown, after: unknown): readonly MovedField[] {
  return paths.flatMap((path) => {
    const [old, present] = [before, after].map((source) => valueAt(source, parsePath(path) ?? []));
    if (inOneNotation(old) === inOneNotation(present)) return [];
    return [{ path, byText: isReference(old) || isReference(present) }];
  });
}

const isReference = (value: unknown): boolean => typeof value === 'string' && parseReference(value) !== undefined;

/** An address with a small host, without the default port and without slashes at its end; any other value as JSON in one order. */
function inOneNotation(value: unknown): string {
  if (typeof value !== 'string' || !/^https?:/i.test(value) || !URL.canParse(value)) return inOneOrder(value);
  const { origin, pathname, search } = new URL(value);
  return `${origin}${pathname.replace(/\/+$/, '')}${search}`;
}

const inOneOrder = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isMapping(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? '';
