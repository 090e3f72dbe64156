import type { ColdReading } from '../archive/cold-readings.ts';
import type { Instant } from '../core/instant.ts';

/** A reading with the place of its series among those that were asked for. */
export interface PlacedReading {
  readonly place: number;
  readonly at: Instant;
  readonly value: number;
  readonly precision: number | null;
  readonly labels: readonly string[];
}

/** Rows and readings of files as one, both by place and instant. Where both have a reading, the row is the newer one and wins. */
export async function* mergedReadings(
  hot: AsyncGenerator<readonly PlacedReading[]>,
  cold: AsyncGenerator<readonly ColdReading[]>,
  pageReadings: number,
): AsyncGenerator<readonly PlacedReading[]> {
  const rows = cursorOf(hot);
  const files = cursorOf(cold);
  const labels = labelReader();
  let page: PlacedReading[] = [];
  try {
    // Rows first: they tell whether the files are still those of the present.
    let row = await rows.next();
    let file = await files.next();
    while (row !== undefined || file !== undefined) {
      const order = row === undefined ? 1 : file === undefined ? -1 : row.place - file.place || row.at - file.at;
      if (order <= 0) {
        page.push(row as PlacedReading);
        row = rows.ready() ?? (await rows.next());
        if (order === 0) file = files.ready() ?? (await files.next());
      } else {
        const { labels: text, ...reading } = file as ColdReading;
        page.push({ ...reading, labels: labels(text) });
        file = files.ready() ?? (await files.next());
      }
      if (page.length < pageReadings) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  } finally {
    await hot.return(undefined);
    await cold.return(undefined);
  }
}

/** The items of pages one by one. */
function cursorOf<T>(pages: AsyncGenerator<readonly T[]>): {
  /** The next one of the present page; undefined where it has ended. */
  ready(): T | undefined;
  next(): Promise<T | undefined>;
} {
  let page: readonly T[] = [];
  let at = 0;
  const ready = (): T | undefined => page[at++];
  return {
    ready,
    async next() {
      for (let item = ready(); ; item = ready()) {
        if (item !== undefined) return item;
        const { done, value } = await pages.next();
        if (done === true) return undefined;
        page = value;
        at = 0;
      }
    },
  };
}

/** Label sets are few, so each is parsed once. */
function labelReader(): (text: string | null) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    if (text === null) return [];
    let labels = known.get(text);
    if (labels === undefined) {
      labels = JSON.parse(text) as readonly string[];
      known.set(text, labels);
    }
    return labels;
  };
}
