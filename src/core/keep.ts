/** How long the readings of a project are kept, in its shortest form such as `3y`; undefined: for ever. */
export type Keep = string | undefined;

const LENGTH = /^([1-9]\d{0,3})(d|w|mo|y)$/;

/** No project keeps readings for longer than a century without keeping them for ever. */
const MOST_YEARS = 100;
const A_YEAR = { d: 365, w: 52, mo: 12, y: 1 } as const;

/** `90d`, `26w`, `18mo`, `3y` or `forever`. Undefined for anything else; months and years are those of the calendar. */
export function parseKeep(text: string): { readonly keep: Keep } | undefined {
  if (text === 'forever') return { keep: undefined };
  const [, count = '', unit = 'd'] = LENGTH.exec(text) ?? [];
  if (count === '' || Number(count) > MOST_YEARS * A_YEAR[unit as keyof typeof A_YEAR]) return undefined;
  return { keep: text };
}

export const keepInWords = (keep: string | null | undefined): string => keep ?? 'forever';
