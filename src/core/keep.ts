/** How long the readings of a project are kept, in its shortest form such as `3y`; undefined: for ever. */
export type Keep = string | undefined;

const LENGTH = /^([1-9]\d{0,3})(d|w|mo|y)$/;

/** `90d`, `26w`, `18mo`, `3y` or `forever`. Undefined for anything else; months and years are those of the calendar. */
export function parseKeep(text: string): { readonly keep: Keep } | undefined {
  if (text === 'forever') return { keep: undefined };
  return LENGTH.test(text) ? { keep: text } : undefined;
}

export const keepInWords = (keep: string | null | undefined): string => keep ?? 'forever';
