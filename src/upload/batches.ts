import { setTimeout as sleep } from 'node:timers/promises';
import type { FileRecord } from './record.ts';

export interface BatchLimits {
  readonly records: number;
  /** How long the first of a batch waits for others that are still being written, ms. */
  readonly lingerMs: number;
}

/** A body of this size is taken by a service with default settings, also where CSV becomes JSON. */
const MOST_BYTES = 2_097_152;

/** What a record of CSV grows by as JSON: the names of its fields. */
const NAMES_BYTES = 100;

/**
 * Records gathered into batches, in order. The next one is read while the last one is under way, and a batch that a pipe
 * fills slowly goes out before it is full.
 */
export async function* uploadBatches(
  pages: AsyncIterator<readonly FileRecord[]>,
  { records: most, lingerMs }: BatchLimits,
): AsyncGenerator<readonly FileRecord[]> {
  let gathered: FileRecord[] = [];
  let bytes = 0;
  const taken = (): readonly FileRecord[] => {
    const batch = gathered;
    gathered = [];
    bytes = 0;
    return batch;
  };
  for (;;) {
    const next = pages.next();
    if (gathered.length > 0 && (await isLate(next, lingerMs))) yield taken();
    const page = await next;
    if (page.done === true) break;
    for (const record of page.value) {
      const size = record.bytes + NAMES_BYTES;
      if (gathered.length > 0 && bytes + size > MOST_BYTES) yield taken();
      gathered.push(record);
      bytes += size;
      if (gathered.length >= most) yield taken();
    }
  }
  if (gathered.length > 0) yield taken();
}

async function isLate(next: Promise<unknown>, lingerMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(lingerMs, true, { signal: timer.signal }).catch(() => true);
  const isHere = next.then(
    () => false,
    () => false,
  );
  const result = await Promise.race([late, isHere]);
  timer.abort();
  return result;
}
