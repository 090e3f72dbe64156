/**
 * Text that PostgreSQL can store: without NUL and, for jsonb, without half a surrogate pair. PostgreSQL refuses the whole
 * statement otherwise, and texts of platforms may hold anything.
 */
export const printable = (text: string): string => text.replaceAll('\0', '␀').toWellFormed();

/** JSON for a jsonb parameter, with all its texts made printable. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? printable(item) : item));
