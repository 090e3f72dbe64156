import { LineCounter, isAlias, isMap, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';
import type { Document, Node, YAMLError } from 'yaml';
import { parsePath } from '../core/source/path.ts';

/** A place in a text; line and column count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** One document of a file, or one problem of the file. `document` counts from 0. */
export type ReadSource =
  | {
      readonly ok: true;
      readonly file: string;
      readonly document: number;
      readonly input: unknown;
      /** Where a path like `schedule.every` stands; for a path that is not written, the nearest part that is. */
      readonly locate: (path: string) => TextPlace;
    }
  | ({ readonly ok: false; readonly file: string; readonly document: number } & TextPlace & {
        readonly message: string;
        readonly remedy: string;
      });

/** Nested aliases grow to any size in memory, so a document may expand at most this many. */
const MOST_ALIASES = 50;

/**
 * The sources in one YAML text (YAML 1.2, strict: a key stands once, no tags). Documents without content are passed
 * over; `empty` is the problem of a text without any. Messages are our own, because a message of the parser may repeat the text, which may be a password.
 */
export function readDocuments(
  file: string,
  text: string,
  empty: { readonly message: string; readonly remedy: string } = NO_SOURCE,
): readonly ReadSource[] {
  try {
    return documentsIn(file, text, empty);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [problemAtStart(file, 'is nested too deeply', 'write it with fewer brackets and levels inside each other')];
  }
}

function documentsIn(
  file: string,
  text: string,
  empty: { readonly message: string; readonly remedy: string },
): readonly ReadSource[] {
  const lines = new LineCounter();
  const placeOf = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    logLevel: 'silent',
  });
  const read: ReadSource[] = [];
  for (const [index, document] of [...parsed].entries()) {
    const report = (offset: number, [message, remedy]: Words): void => {
      read.push({ ok: false, file, document: index, ...placeOf(offset), message, remedy });
    };
    // The first error mostly causes the others, so it alone is reported, and besides it every key that stands twice.
    const errors = [...document.errors, ...document.warnings];
    const reported = errors.filter(({ code }, place) => place === 0 || code === 'DUPLICATE_KEY');
    for (const error of reported) report(error.pos[0], wordsOf(error, text));
    const broken = brokenAlias(document) ?? oddText(document);
    if (broken !== undefined) report(broken.offset, broken.words);
    if (reported.length > 0 || broken !== undefined || document.contents === null || isEmpty(document.contents))
      continue;
    try {
      const input: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
      read.push({ ok: true, file, document: index, input, locate: (path) => placeOf(offsetOf(document, path)) });
    } catch {
      report(document.range[0], ['holds too many aliases', `write the values out, or use at most ${MOST_ALIASES}`]);
    }
  }
  return read.length > 0 ? read : [problemAtStart(file, empty.message, empty.remedy)];
}

const NO_SOURCE = { message: 'holds no source', remedy: 'begin it with "name: …"' };

/** A problem of a file as a whole, shown at its first character. */
export const problemAtStart = (file: string, message: string, remedy: string): ReadSource => ({
  ok: false,
  file,
  document: 0,
  line: 1,
  column: 1,
  message,
  remedy,
});

type Words = readonly [message: string, remedy: string];

const QUOTE = 'put text that begins with a special character in quotes';

const WORDS: Readonly<Partial<Record<YAMLError['code'], Words>>> = {
  TAB_AS_INDENT: ['a tab cannot indent', 'indent with spaces'],
  BAD_INDENT: ['the indentation fits nothing above it', 'put the keys of one block in the same column'],
  BAD_SCALAR_START: ['text cannot begin with this character', QUOTE],
  TAG_RESOLVE_FAILED: ['text that begins with ! is a tag, and sources use no tags', QUOTE],
  BLOCK_AS_IMPLICIT_KEY: ['there are two colons in one line', 'begin a new line, or put text with ": " in quotes'],
  MISSING_CHAR: [
    'a quote, bracket, colon, comma or space is missing',
    'look for its place here and in the lines above',
  ],
  UNEXPECTED_TOKEN: [
    'this does not belong here',
    'put text with special characters in quotes; inside { } also "${env:NAME}"',
  ],
};

function wordsOf(error: YAMLError, text: string): Words {
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^["']?([\w-]{1,60})["']?\s*:/.exec(text.slice(error.pos[0], error.pos[0] + 80))?.[1];
    return [`the key ${key ?? 'here'} stands twice`, 'take one of them out'];
  }
  return WORDS[error.code] ?? [`this is not YAML (${error.code})`, 'compare it with the samples in config/sources'];
}

const isEmpty = (node: Node): boolean => isScalar(node) && node.value === null;

/** The first alias without an earlier anchor, or inside its own: a value that holds itself has no end. Undefined where all are right. */
function brokenAlias(document: Document.Parsed): Broken | undefined {
  let found: Broken | undefined;
  visit(document, {
    Alias(_, alias, above) {
      const node = alias.resolve(document);
      if (node !== undefined && !above.includes(node)) return undefined;
      found = { offset: alias.range?.[0] ?? 0, words: node === undefined ? UNKNOWN_ALIAS : ENDLESS_ALIAS };
      return visit.BREAK;
    },
  });
  return found;
}

/** The first text, or name of a field, that an escape gives a character which PostgreSQL cannot store. */
function oddText(document: Document.Parsed): Broken | undefined {
  let found: Broken | undefined;
  visit(document, {
    Scalar(_, { value, range }) {
      if (typeof value !== 'string' || (!value.includes('\0') && value.isWellFormed())) return undefined;
      found = {
        offset: range?.[0] ?? 0,
        words: ['this text holds NUL or half a surrogate pair', 'leave the character out'],
      };
      return visit.BREAK;
    },
  });
  return found;
}

interface Broken {
  readonly offset: number;
  readonly words: Words;
}

const UNKNOWN_ALIAS: Words = ['text that begins with * is an alias, and no anchor has its name', QUOTE];
const ENDLESS_ALIAS: Words = [
  'this alias stands inside its own anchor, so the value would hold itself',
  'write the value out',
];

/** Where a path begins, or the nearest part of it that is written. */
function offsetOf(document: Document.Parsed, path: string): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? document.range[0];
  for (const part of parsePath(path) ?? []) {
    const inside = isAlias(node) ? node.resolve(document) : node;
    if (isMap(inside)) {
      const pair = inside.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(inside)) {
      const item = inside.items[Number(part)];
      if (item === undefined) break;
      offset = (item as Node).range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}
