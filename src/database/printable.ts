/**
 * Text as PostgreSQL keeps it: without NUL, and in jsonb without half a surrogate pair. With one of them in it, a whole
 * statement is refused, and what platforms say may hold anything.
 */
export const printable = (text: string): string => text.replaceAll('\0', '␀').toWellFormed();

/** JSON as a jsonb parameter takes it, whatever its texts hold. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? printable(item) : item));
