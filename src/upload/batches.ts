import { setTimeout as sleep } from 'node:timers/promises';
import type { FileRecord } from './record.ts';

export interface BatchLimits {
  /** A batch holds at most this many records. */
  readonly records: number;
  /** A batch waits at most this long for further records of a pipe that is written slowly, ms. */
  readonly lingerMs: number;
}

/** A service with default settings takes a body of this size. The limit counts the JSON that CSV becomes. */
const MOST_BYTES = 2_097_152;

/** JSON names the fields of every record; this many bytes are counted for the names. */
const NAMES_BYTES = 100;

/** Gathers records into batches, in the order of the file. */
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

/** Whether `next` takes longer than `lingerMs`. An error of `next` is not late; the caller meets it. */
const isLate = (next: Promise<unknown>, lingerMs: number): Promise<boolean> => {
  const isHere = next.then(
    () => false,
    () => false,
  );
  return Promise.race([isHere, sleep(lingerMs, true, { ref: false })]);
};
