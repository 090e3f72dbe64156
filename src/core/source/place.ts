import { parsePath, valueAt } from './path.ts';
import { parseReference } from './reference.ts';

/** A field that says where the data of a source is, and that changed. */
export interface MovedField {
  readonly path: string;
  /** The field is or was a reference such as `${env:X}`: its text was compared, because a comparison opens no secret. */
  readonly byText: boolean;
}

/** The fields among `paths` in which two parsed sources of one platform differ. Notations of one address are equal. */
export function movedFields(paths: readonly string[], before: unknown, after: unknown): readonly MovedField[] {
  return paths.flatMap((path) => {
    const [old, present] = [before, after].map((source) => valueAt(source, parsePath(path) ?? []));
    if (inOneNotation(old) === inOneNotation(present)) return [];
    return [{ path, byText: isReference(old) || isReference(present) }];
  });
}

const isReference = (value: unknown): boolean => typeof value === 'string' && parseReference(value) !== undefined;

/** An address with a small host, without the default port and without slashes at its end; any other value as JSON. */
function inOneNotation(value: unknown): string {
  if (typeof value !== 'string' || !/^https?:/i.test(value) || !URL.canParse(value)) return JSON.stringify(value) ?? '';
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
