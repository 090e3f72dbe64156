import { setImmediate as letOthersRun } from 'node:timers/promises';

/** So much text is parsed at a time, characters. */
const PIECE = 128 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** So much text is looked through at a time for the end of a part, characters. */
const LOOKED_THROUGH = 512 * 1024;

/**
 * A list or an object inside of so many others is parsed at once, however long it is: each level is looked through again for its parts, so
 * a text of brackets alone would otherwise take the square of its length.
 */
const DEEPEST = 16;

/**
 * `JSON.parse` of a long text, which lets others run between pieces of it: a list or an object that is long is taken apart into its
 * parts, which are parsed together as far as they are short. Throws a SyntaxError for what is no JSON; of a long text its message names
 * no position.
 */
export async function jsonInPieces(parts: readonly string[]): Promise<unknown> {
  const [first = '', ...more] = parts;
  if (more.length === 0 && first.length <= PIECE) return JSON.parse(first);
  const text = new LongText(parts);
  return await valueIn(text, { begin: 0, end: text.length, depth: 0 });
}

/** A text in parts, which are never put together: that would hold the others up for as long as all the rest. */
class LongText {
  readonly #parts: readonly string[];
  readonly #begins: readonly number[];
  readonly length: number;
  /** The part that was asked for last. */
  #last = 0;

  constructor(parts: readonly string[]) {
    this.#parts = parts.filter((part) => part !== '');
    let length = 0;
    this.#begins = this.#parts.map((part) => (length += part.length) - part.length);
    this.length = length;
  }

  /** The part that holds the character at `place`, and where it begins. Empty behind the end. */
  partAt(place: number): { readonly part: string; readonly begin: number } {
    while (place < (this.#begins[this.#last] ?? 0)) this.#last -= 1;
    while (place >= (this.#begins[this.#last + 1] ?? Infinity)) this.#last += 1;
    return { part: this.#parts[this.#last] ?? '', begin: this.#begins[this.#last] ?? 0 };
  }

  charCodeAt(place: number): number {
    const { part, begin } = this.partAt(place);
    return part.charCodeAt(place - begin);
  }

  slice(from: number, to: number): string {
    let text = '';
    for (let place = from; place < to;) {
      const { part, begin } = this.partAt(place);
      text += part.slice(place - begin, to - begin);
      place = begin + part.length;
    }
    return text;
  }

  /** The first quote at `from` or behind; -1 where there is none. */
  quoteFrom(from: number): number {
    for (let place = from; place < this.length;) {
      const { part, begin } = this.partAt(place);
      const found = part.indexOf('"', place - begin);
      if (found >= 0) return begin + found;
      place = begin + part.length;
    }
    return -1;
  }
}

/** A part of the text, and of how many lists and objects it is a part. */
interface Place {
  readonly begin: number;
  readonly end: number;
  readonly depth: number;
}

async function valueIn(text: LongText, place: Place): Promise<unknown> {
  if (place.end - place.begin <= PIECE) return parsedPart(text.slice(place.begin, place.end));
  await letOthersRun();
  const [begin, end] = trimmed(text, place.begin, place.end);
  if (place.depth >= DEEPEST) return parsedPart(text.slice(begin, end));
  const first = text.charCodeAt(begin);
  const last = text.charCodeAt(end - 1);
  const inside = { begin: begin + 1, end: end - 1, depth: place.depth + 1 };
  if (first === OPEN_LIST && last === CLOSE_LIST) return await listIn(text, inside);
  if (first === OPEN_OBJECT && last === CLOSE_OBJECT) return await objectIn(text, inside);
  // Throws where a bracket is open at the end. Where none is, something stands behind the list or object.
  if (first === OPEN_LIST || first === OPEN_OBJECT) {
    await new Part(text, begin, end, undefined).end();
    throw notJson();
  }
  return parsedPart(text.slice(begin, end));
}

const notJson = (): SyntaxError => new SyntaxError('a part of it is not JSON');

/** As the message of `JSON.parse`, by which the connection knows such an error. */
const endsEarly = (): SyntaxError => new SyntaxError('Unexpected end of JSON input');

/** Positions in a part say nothing about the text. */
function parsedPart(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

async function listIn(text: LongText, inside: Place): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const { begin, end, parts } of groups(text, inside.begin, inside.end)) {
    if (parts === 1) list.push(await valueIn(text, { ...inside, begin, end }));
    else for (const one of parsedPart(`[${text.slice(begin, end)}]`) as unknown[]) list.push(one);
  }
  return list;
}

async function objectIn(text: LongText, inside: Place): Promise<object> {
  const object: Record<string, unknown> = {};
  // As `JSON.parse` does it: __proto__ is a name like any other.
  const set = (name: string, value: unknown): void =>
    void Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  for await (const { begin, end, parts } of groups(text, inside.begin, inside.end)) {
    if (parts > 1) {
      const some = parsedPart(`{${text.slice(begin, end)}}`) as Record<string, unknown>;
      for (const [name, value] of Object.entries(some)) set(name, value);
      continue;
    }
    const colon = await new Part(text, begin, end, COLON).end();
    const name = parsedPart(text.slice(begin, colon));
    if (typeof name !== 'string' || colon === end) throw new SyntaxError('a name is missing');
    set(name, await valueIn(text, { ...inside, begin: colon + 1, end }));
  }
  return object;
}

interface Group {
  readonly begin: number;
  readonly end: number;
  readonly parts: number;
}

/** The parts of a list or object in groups that are short; a part that is long is a group of its own. */
async function* groups(text: LongText, from: number, to: number): AsyncGenerator<Group> {
  const [first, last] = trimmed(text, from, to);
  if (first === last) return;
  let begin = from;
  let parts = 0;
  for (let place = from; place <= to;) {
    const part = new Part(text, place, to, COMMA);
    const end = part.look(LOOKED_THROUGH) ?? (await part.end());
    if (parts > 0 && end - begin > PIECE) {
      yield { begin, end: place - 1, parts };
      await letOthersRun();
      begin = place;
      parts = 0;
    }
    parts += 1;
    place = end + 1;
  }
  yield { begin, end: to, parts };
}

/** The part that begins at `from`. It ends at `sign` outside of all brackets and texts, or at `to`; without a sign at `to`. */
class Part {
  readonly #text: LongText;
  readonly #to: number;
  readonly #sign: number | undefined;
  #place: number;
  #depth = 0;

  constructor(text: LongText, from: number, to: number, sign: number | undefined) {
    this.#text = text;
    this.#place = from;
    this.#to = to;
    this.#sign = sign;
  }

  /** Its end. Lets others run. */
  async end(): Promise<number> {
    for (;;) {
      const found = this.look(LOOKED_THROUGH);
      if (found !== undefined) return found;
      await letOthersRun();
    }
  }

  /** Its end; undefined where it is not within the next characters. */
  look(characters: number): number | undefined {
    const text = this.#text;
    const until = Math.min(this.#to, this.#place + characters);
    let place = this.#place;
    while (place < until) {
      const { part, begin } = text.partAt(place);
      const end = Math.min(until, begin + part.length);
      for (; place < end; place += 1) {
        const code = part.charCodeAt(place - begin);
        if (code === QUOTE) place = endOfText(text, place, this.#to);
        else if (code === OPEN_LIST || code === OPEN_OBJECT) this.#depth += 1;
        else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
          this.#depth -= 1;
          if (this.#depth < 0) throw new SyntaxError('a bracket is closed that is not open');
        } else if (code === this.#sign && this.#depth === 0) return place;
      }
    }
    this.#place = place;
    if (place < this.#to) return undefined;
    if (this.#depth > 0) throw endsEarly();
    return this.#to;
  }
}

/** The quote that ends the text whose quote stands at `from`. */
function endOfText(text: LongText, from: number, to: number): number {
  for (let quote = text.quoteFrom(from + 1); quote >= 0 && quote < to; quote = text.quoteFrom(quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  throw endsEarly();
}

/** Without blanks before and behind. */
function trimmed(text: LongText, from: number, to: number): readonly [from: number, to: number] {
  let [begin, end] = [from, to];
  while (begin < end && isBlank(text.charCodeAt(begin))) begin += 1;
  while (end > begin && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return [begin, end];
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
