import { HOUR, MILLISECOND } from '../../core/instant.ts';
import type { Microseconds } from '../../core/instant.ts';
import type { KeptSource, OpenSource, SourceRow } from './open-source.ts';

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
  readonly opening: Promise<KeptSource>;
  users: number;
  usedAt: Microseconds;
}

/** A source that nobody used for so long is closed. Opening one that is polled less often costs little beside that time. */
const LONGEST_UNUSED: Microseconds = HOUR;

/**
 * Keeps sources open between polls, so that an unchanged source is not parsed again, however many there are: each holds about
 * 4 kB, and the names of its series. `now` is a clock that is never set.
 */
export function sourceCacheOf(
  open: (row: SourceRow) => Promise<KeptSource>,
  now: () => Microseconds = () => performance.now() * MILLISECOND,
): SourceCache {
  /** The one used longest ago comes first. */
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
    opened.delete(row.id);
    opened.set(row.id, entry);
    return entry;
  }

  function newEntry(row: SourceRow): Entry {
    const entry = { edition: row.edition, opening: open(row), users: 0, usedAt: now() };
    entry.opening.catch(() => {
      if (opened.get(row.id) === entry) opened.delete(row.id);
    });
    return entry;
  }

  function closeUnused(): void {
    for (const [id, entry] of opened) {
      if (entry.usedAt > now() - LONGEST_UNUSED) return;
      if (entry.users > 0) continue;
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
      entry.usedAt = now();
      try {
        return await work((await entry.opening).open());
      } finally {
        entry.users -= 1;
        if (entry.users === 0)
          void entry.opening.then(
            ({ connection }) => connection.rest(),
            () => undefined,
          );
        closeUnused();
      }
    },
    async closeAll() {
      forget();
      await Promise.all(closing);
    },
  };
}
