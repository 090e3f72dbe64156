import type { Column } from '../core/batch.ts';

/** Memory for pushed bodies that are not stored yet, shared by applications. */
export interface Room {
  /** Takes bytes. @returns false where the application has not enough room; then nothing is taken */
  take(applicationId: string, bytes: number): boolean;
  give(applicationId: string, bytes: number): void;
  /** 0..1: the bytes taken, where 1 is as much as one application alone may hold. */
  readonly load: () => number;
}

/**
 * An application may hold at most as much as it leaves free. One application alone gets half of the room, `n` greedy ones
 * get `1/(n + 1)` each, and a further one always finds as much as each of them holds.
 */
export function roomOf(bytes: number): Room {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    take(applicationId, more) {
      const after = (held.get(applicationId) ?? 0) + more;
      if (after > bytes - taken - more) return false;
      held.set(applicationId, after);
      taken += more;
      return true;
    },
    give(applicationId, less) {
      const after = (held.get(applicationId) ?? 0) - less;
      if (after > 0) held.set(applicationId, after);
      else held.delete(applicationId);
      taken -= less;
    },
    load: () => Math.min(1, (2 * taken) / bytes),
  };
}

/** Bytes of memory that a segment and a label need besides the bytes of their readings, as measured. */
const SEGMENT_BYTES = 640;
const LABEL_BYTES = 16;

/** The memory that readings need besides their body: it matters where they have very many sensors, changes of labels, or labels. */
export function bytesBesides(columns: readonly Column[]): number {
  const sets = new Set<readonly string[]>();
  let segments = 0;
  for (const column of columns) {
    segments += column.segments.length;
    for (const { labels } of column.segments) sets.add(labels);
  }
  let labels = 0;
  for (const set of sets) labels += set.length;
  return segments * SEGMENT_BYTES + labels * LABEL_BYTES;
}
