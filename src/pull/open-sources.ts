import type { OpenSource, SourceRow } from './sources.ts';

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

/** So many stay open; each holds about 20 kB. With more the memory of a process would grow with the sources it ever polled. */
const MOST_OPEN = 2_000;

/**
 * Keeps sources open between polls: connections stay warm, and an unchanged source is not parsed again. Of those nobody
 * uses, the ones used longest ago are closed when there are more than `most`.
 */
export function openSourcesOf(open: (row: SourceRow) => Promise<OpenSource>, most = MOST_OPEN): Sources {
  /** In order of their last use. */
  const opened = new Map<number, Entry>();
  const closing = new Set<Promise<void>>();

  function close({ opening }: Entry): void {
    const closed = opening.then(
      ({ connection }) => connection.close(),
      () => undefined,
    );
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  function entryOf(row: SourceRow): Entry {
    const known = opened.get(row.id);
    opened.delete(row.id);
    // A claim that was overtaken by a newer one works with the newer configuration, too.
    const entry = known && known.revision >= row.revision ? known : newEntry(row);
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
    for (const [id, entry] of opened) {
      if (opened.size <= most) return;
      if (entry.users > 0) continue;
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
