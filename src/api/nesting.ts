const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in one bit, and so do `]` and `}`; no other character of JSON becomes one of them with it. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Whether arrays and objects stand more than `most` deep in each other, as far as brackets outside of strings tell.
 * Ends where they do: a body that is nothing but brackets is not even read, while parsing it would take a second.
 */
export function isDeeper(json: Buffer, most: number): boolean {
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
        if (depth > most) return true;
      } else if (bracket === CLOSING) {
        depth -= 1;
      }
    }
  }
  return false;
}
