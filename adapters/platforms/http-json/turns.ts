/** The most sources that are remembered; the one that asked least recently is forgotten. */
const MOST_KNOWN = 2_000;

/** A source that was ended gives way for this many times what it used. */
const PENALTY = 5;

/** What the evaluation of an answer took. */
export interface Cost {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** What is known of a source. */
interface Known {
  /** How much it had, counted from when others waited. */
  had: number;
  /** Its last answer was evaluated to its end. */
  isProven: boolean;
  /** The longest answer that was evaluated to its end, and the processor time it took. */
  longest: Cost | undefined;
}

/**
 * Who is next: answers wait in the queue of their source, and the source that had least is next. A source that comes anew, or after a
 * while, begins at what the others have had. Each source has one answer at a time, and one place is never taken by
 * sources whose answer before was not evaluated to its end: answers that loop keep no other source waiting.
 */
export class Turns<T> {
  readonly #waiting = new Map<string, T[]>();
  readonly #underWay = new Set<string>();
  /** Of the sources under way, those whose answer before was not evaluated to its end. */
  readonly #unproven = new Set<string>();
  readonly #known = new Map<string, Known>();
  readonly #places: number;
  #had = 0;

  /** `places`: how many answers are evaluated at a time, two or more. */
  constructor(places: number) {
    this.#places = places;
  }

  add(source: string, item: T): void {
    const queue = this.#waiting.get(source);
    if (queue === undefined) this.#waiting.set(source, [item]);
    else queue.push(item);
  }

  /** Takes an item that is waiting out, whose caller gave up. */
  drop(source: string, item: T): void {
    const left = (this.#waiting.get(source) ?? []).filter((one) => one !== item);
    if (left.length > 0) this.#waiting.set(source, left);
    else this.#waiting.delete(source);
  }

  /** The next item and its source, where one may begin at one of the `free` places. */
  next(free: number): { readonly source: string; readonly item: T } | undefined {
    if (free === 0) return undefined;
    let best: { source: string; had: number } | undefined;
    for (const source of this.#waiting.keys()) {
      if (this.#underWay.has(source)) continue;
      const known = this.#known.get(source);
      if (this.#unproven.size >= this.#places - 1 && !known?.isProven) continue;
      const had = Math.max(known?.had ?? 0, this.#had);
      if (best === undefined || had < best.had) best = { source, had };
    }
    if (best === undefined) return undefined;
    const { source, had } = best;
    const queue = this.#waiting.get(source) as T[];
    const item = queue.shift() as T;
    if (queue.length === 0) this.#waiting.delete(source);
    this.#underWay.add(source);
    if (!this.#known.get(source)?.isProven) this.#unproven.add(source);
    this.#had = had;
    return { source, item };
  }

  /** Tells how much the answer of a source took, and whether it was ended for that. */
  done(source: string, cost: Cost, wasEnded: boolean): void {
    this.#underWay.delete(source);
    this.#unproven.delete(source);
    const known = this.#known.get(source);
    const had = Math.max(known?.had ?? 0, this.#had) + cost.milliseconds * (wasEnded ? PENALTY : 1);
    const isLongest = !wasEnded && cost.bytes >= (known?.longest?.bytes ?? 0);
    this.#known.delete(source);
    this.#known.set(source, { had, isProven: !wasEnded, longest: isLongest ? cost : known?.longest });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  /**
   * Whether the length of an answer explains a cost: a shorter one of the source took at least half of its share of it. A loop is
   * explained by no length.
   */
  isExplained(source: string, { milliseconds, bytes }: Cost): boolean {
    const longest = this.#known.get(source)?.longest;
    if (longest === undefined || longest.bytes >= bytes) return false;
    return longest.milliseconds * (bytes / longest.bytes) >= milliseconds / 2;
  }
}
