const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** This bit turns `[` into `{` and `]` into `}`; it turns no other character of JSON into one of them. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Whether arrays and objects are nested more than `mostLevels` deep, by the brackets outside of strings. It ends at the
 * first bracket that is too deep, because parsing 10 MiB of brackets would take a second.
 */
export function isDeeper(json: Buffer, mostLevels: number): boolean {
  const { length } = json;
  let depth = 0;
  for (let index = 0; index < length; index += 1) {
    const byte = json[index] as number;
    if (byte === QUOTE) {
      for (index += 1; index < length && json[index] !== QUOTE; index += 1) if (json[index] === BACKSLASH) index += 1;
    } else if (byte >= 0x5b) {
      const bracket = byte | BRACE_BIT;
      if (bracket === OPENING) {
        depth += 1;
        if (depth > mostLevels) return true;
      } else if (bracket === CLOSING) {
        depth -= 1;
      }
    }
  }
  return false;
}
