import type { OpenSource, SourceRow } from './open-source.ts';

/** The sources that this process keeps open. */
export interface SourceCache {
  /** The open edition of a source, so that a claim need not carry the configuration again. */
  editionOf(sourceId: number): string | undefined;
  /** Runs `work` on the open source. The source is opened first where it is not open, and stays open until `work` ends. */
  use<T>(row: SourceRow, work: (source: OpenSource) => Promise<T>): Promise<T>;
  /** Closes all sources without waiting: runs that use them are cancelled, and later ones open them again. */
  forget(): void;
  closeAll(): Promise<void>;
}

interface Entry {
  readonly edition: string;
  readonly opening: Promise<OpenSource>;
  users: number;
}

/** At most this many sources stay open. Each holds about 15 kB, and a process may poll any number of them over time. */
const MOST_OPEN = 2_000;

/**
 * Keeps sources open between polls, so that connections stay warm and an unchanged source is not parsed again. Above `most`
 * it closes unused ones picked by `random`. Not the one used longest ago: sources are polled in turn, so that one is due next.
 */
export function sourceCacheOf(
  open: (row: SourceRow) => Promise<OpenSource>,
  { most, random }: { readonly most: number; readonly random: () => number } = {
    most: MOST_OPEN,
    random: Math.random,
  },
): SourceCache {
  const opened = new Map<number, Entry>();
  const closing = new Set<Promise<void>>();

  function close({ opening }: Entry): void {
    // An error of opening or closing a source must not reach the polls of other sources.
    const closed = opening
      .then(async ({ connection, rules }) => {
        rules.close();
        await connection.close();
      })
      .catch(() => undefined)
      .finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function entryOf(row: SourceRow): Entry {
    const known = opened.get(row.id);
    const entry = known?.edition === row.edition ? known : newEntry(row);
    // Windows under way with the old configuration are cancelled and asked again with the new one.
    if (known && known !== entry) close(known);
    opened.set(row.id, entry);
    return entry;
  }

  function newEntry(row: SourceRow): Entry {
    const entry = { edition: row.edition, opening: open(row), users: 0 };
    entry.opening.catch(() => {
      if (opened.get(row.id) === entry) opened.delete(row.id);
    });
    return entry;
  }

  function closeUnused(): void {
    if (opened.size <= most) return;
    const unused = [...opened].filter(([, entry]) => entry.users === 0);
    while (opened.size > most && unused.length > 0) {
      const [[id, entry]] = unused.splice(Math.floor(random() * unused.length), 1) as [[number, Entry]];
      opened.delete(id);
      close(entry);
    }
  }

  function forget(): void {
    for (const entry of opened.values()) close(entry);
    opened.clear();
  }

  return {
    editionOf: (sourceId) => opened.get(sourceId)?.edition,
    forget,
    async use(row, work) {
      const entry = entryOf(row);
      entry.users += 1;
      try {
        return await work(await entry.opening);
      } finally {
        entry.users -= 1;
        closeUnused();
      }
    },
    async closeAll() {
      forget();
      await Promise.all(closing);
    },
  };
}
