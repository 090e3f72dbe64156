import { randomBytes } from 'node:crypto';

/** The most that a JSON text may hold. `levels` is at most 32. */
export interface JsonBounds {
  /** How deep arrays and objects may be nested. */
  readonly levels: number;
  /** Elements of the outermost array. */
  readonly elements: number;
  /** Elements of all arrays and fields of all objects, together. */
  readonly values: number;
  /** Arrays and objects, together. */
  readonly containers: number;
  /** Different names of fields. */
  readonly names: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** This bit turns `[` into `{` and `]` into `}`; it turns no other character of JSON into one of them. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Names are told apart by this many hashes. */
const HASHES = 4_096;
const FNV_PRIME = 16_777_619;
/** Drawn anew in each process, so that no client can choose different names with one hash. */
const SEED = randomBytes(4).readInt32LE();

/**
 * Measures a JSON text that arrives in chunks, before it is parsed: ten megabytes of brackets, of empty objects or of
 * different names take a parser seconds, and a hundred times their size in memory. The returned function takes a chunk
 * and says which bound the text has outgrown. Brackets, commas and names inside of strings do not count, and a broken
 * text is not told here.
 */
export function jsonMeasure(most: JsonBounds): (chunk: Buffer) => keyof JsonBounds | undefined {
  let depth = 0;
  let elements = 1;
  let values = 0;
  let containers = 0;
  let names = 0;
  /** One bit for each level: whether it is an object. */
  let objects = 0;
  /** Whether a string that begins now is a name, and whether the string under way is one. */
  let nameNext = false;
  let inName = false;
  let inString = false;
  let escaped = false;
  let hash = SEED;
  let seen: Uint8Array | undefined;

  function countName(): void {
    // The upper bits, because they depend on every byte.
    const slot = hash >>> 20;
    seen ??= new Uint8Array(HASHES);
    names += 1 - (seen[slot] as number);
    seen[slot] = 1;
  }

  return (chunk) => {
    const { length } = chunk;
    for (let index = 0; index < length; index += 1) {
      const byte = chunk[index] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (inName) countName();
          inName = false;
          if (names > most.names) return 'names';
        }
        if (inName) hash = Math.imul(hash ^ byte, FNV_PRIME);
      } else if (byte === QUOTE) {
        inString = true;
        inName = nameNext;
        nameNext = false;
        hash = SEED;
      } else if (byte === COMMA) {
        values += 1;
        if (depth === 1) elements += 1;
        if (elements > most.elements) return 'elements';
        if (values > most.values) return 'values';
        nameNext = ((objects >>> (depth - 1)) & 1) === 1;
      } else if (byte >= 0x5b) {
        const bracket = byte | BRACE_BIT;
        if (bracket === OPENING) {
          depth += 1;
          values += 1;
          containers += 1;
          if (depth > most.levels) return 'levels';
          if (containers > most.containers) return 'containers';
          if (values > most.values) return 'values';
          nameNext = byte === OPENING;
          const bit = 1 << (depth - 1);
          objects = nameNext ? objects | bit : objects & ~bit;
        } else if (bracket === CLOSING) {
          depth -= 1;
          nameNext = false;
        }
      }
    }
    return undefined;
  };
}
