/** A sensorId and valueName. */
export interface FullName {
  readonly sensorId: string;
  readonly valueName: string;
}

/** Finds names that may be another spelling of a name. */
export interface NearNames<N extends FullName> {
  /** One more known name. */
  add(name: N): void;
  /** At most `most` of the known names, the nearest first; never the name itself. */
  near(name: FullName, most: number): readonly N[];
}

/**
 * After so many comparisons of names no further ones are made, and no more near names are found: names without numbers all have to be
 * compared with each other, and ten thousand of them with a hundred thousand take minutes.
 */
const MOST_COMPARED = 10_000_000;

/** Shorter names are too easily one letter apart, such as the three axes of a sensor. */
const SHORTEST_WITH_EDIT = 4;

/**
 * A name without the differences that are seldom meant: case, separators (`-`, `_`, `.` and blanks) and leading zeros. Between two
 * digits a separator stays, because 1-2 is not 12.
 */
function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/(?<=\d)[-_.\s]+(?=\d)/g, '-')
    .replaceAll(/(?<!\d)[-_.\s]+|[-_.\s]+(?!\d)/g, '')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '');
}

/** The numbers and single letters of a name, which tell one thing from its neighbour: pump-7 from pump-8, and motor A from motor B. */
const itemsOf = (text: string): string =>
  (
    text
      .toLowerCase()
      .replaceAll(/(?<!\d)0+(?=\d)/g, '')
      .match(/\d+|(?<!\p{L})\p{L}(?!\p{L})/gu) ?? []
  ).join(' ');

interface Spelling {
  readonly plain: string;
  readonly items: string;
}

function spellingOf({ sensorId, valueName }: FullName): Spelling {
  const plain = `${plainOf(sensorId)}\n${plainOf(valueName)}`;
  return { plain, items: `${itemsOf(sensorId)}\n${itemsOf(valueName)}` };
}

/**
 * Names that are near to others: equal but for case, separators and leading zeros, or one typing error apart (a letter more, fewer,
 * another one, or two that changed places). Names that differ in a number or in a single letter are meant to differ.
 */
export function nearNames<N extends FullName>(known: Iterable<N>): NearNames<N> {
  const byItems = new Map<string, { readonly name: N; readonly plain: string }[]>();
  let left = MOST_COMPARED;
  const add = (name: N): void => {
    const { plain, items } = spellingOf(name);
    const group = byItems.get(items);
    if (group === undefined) byItems.set(items, [{ name, plain }]);
    else group.push({ name, plain });
  };
  for (const name of known) add(name);
  return {
    add,
    near(name, most) {
      if (left <= 0) return [];
      const { plain, items } = spellingOf(name);
      const same: N[] = [];
      const typed: N[] = [];
      const group = byItems.get(items) ?? [];
      left -= group.length;
      for (const other of group) {
        if (other.name.sensorId === name.sensorId && other.name.valueName === name.valueName) continue;
        if (other.plain === plain) same.push(other.name);
        else if (typed.length < most && isOneErrorApart(plain, other.plain)) typed.push(other.name);
      }
      return [...same, ...typed].slice(0, most);
    },
  };
}

/** Whether one typing error makes one text of the other, in a part that is long enough. */
function isOneErrorApart(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  // Most names differ by far more, and texts are not cut for those.
  if (Math.max(one.length, other.length) - start - end > 2) return false;
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  const isSwap = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  if (Math.max(left.length, right.length) > 1 && !isSwap) return false;
  return !/[\d\n]/.test(left + right) && partAround(one, start).length >= SHORTEST_WITH_EDIT;
}

/** The sensorId or valueName in which a place of a spelling lies. */
function partAround(plain: string, place: number): string {
  const border = plain.indexOf('\n');
  return place <= border ? plain.slice(0, border) : plain.slice(border + 1);
}
