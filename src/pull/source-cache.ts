import type { OpenSource, SourceRow } from './open-source.ts';

/** The sources a process has open. */
export interface Sources {
  /** The revision this process has open, so that a claim need not carry the configuration again; 0 where it has none. */
  revisionOf(sourceId: number): number;
  /** Opens a source where it is not open yet, and keeps it open at least until the work has ended. */
  use<T>(row: SourceRow, work: (source: OpenSource) => Promise<T>): Promise<T>;
  closeAll(): Promise<void>;
}

interface Entry {
  readonly revision: number;
  readonly opening: Promise<OpenSource>;
  users: number;
}

/** So many stay open; each holds about 15 kB. With more the memory of a process would grow with the sources it ever polled. */
const MOST_OPEN = 2_000;

/**
 * Keeps sources open between polls: connections stay warm, and an unchanged source is not parsed again. Where
 * there are more than `most`, some that nobody uses are closed, picked by `random`: sources are polled in turn, and the one
 * used longest ago would always be the one that is due next.
 */
export function openSourcesOf(
  open: (row: SourceRow) => Promise<OpenSource>,
  { most, random }: { readonly most: number; readonly random: () => number } = {
    most: MOST_OPEN,
    random: Math.random,
  },
): Sources {
  const opened = new Map<number, Entry>();
  const closing = new Set<Promise<void>>();

  function close({ opening }: Entry): void {
    // What was never opened, or does not close, is no concern of whoever is polling meanwhile.
    const closed = opening
      .then(({ connection }) => connection.close())
      .catch(() => undefined)
      .finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function entryOf(row: SourceRow): Entry {
    const known = opened.get(row.id);
    // Any other revision, not only a newer one: a database may be restored under a process.
    const entry = known?.revision === row.revision ? known : newEntry(row);
    // What still runs on an old revision is cancelled, and asked again with the new one.
    if (known && known !== entry) close(known);
    opened.set(row.id, entry);
    return entry;
  }

  function newEntry(row: SourceRow): Entry {
    const entry = { revision: row.revision, opening: open(row), users: 0 };
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

  return {
    revisionOf: (sourceId) => opened.get(sourceId)?.revision ?? 0,
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
      for (const entry of opened.values()) close(entry);
      opened.clear();
      await Promise.all(closing);
    },
  };
}
