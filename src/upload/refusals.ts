import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { configInvalid } from '../core/errors.ts';
import { table } from '../terminal/output.ts';
import { short, widthOf } from '../terminal/words.ts';
import type { RefusedRecord } from './delivery.ts';

/** At most this many refusals are printed; `--refused` keeps all of them. */
const MOST_SHOWN = 20;

/** The refused records of a run, and the file that takes all of them. */
export interface Refusals {
  /** The first refusals, in the order of the file of readings. */
  readonly shown: readonly RefusedRecord[];
  add(refused: readonly RefusedRecord[]): Promise<void>;
  /** Length of the file of refusals. */
  bytes(): number;
  close(): Promise<void>;
}

/**
 * `keepBytes` is the length that the state of an interrupted push names; 0 begins the file anew.
 * Throws `config-invalid` where the file cannot be written.
 */
export async function openRefusals(path: string | undefined, keepBytes: number): Promise<Refusals> {
  const file = path === undefined ? undefined : await opened(path, keepBytes);
  const shown: RefusedRecord[] = [];
  let bytes = file === undefined ? 0 : (await file.stat()).size;
  return {
    shown,
    async add(refused) {
      shown.push(...refused.slice(0, Math.max(0, MOST_SHOWN - shown.length)));
      if (file === undefined || refused.length === 0) return;
      const text = refused.map((each) => `${JSON.stringify(documentOf(each))}\n`).join('');
      await file.appendFile(text);
      bytes += Buffer.byteLength(text);
    },
    bytes: () => bytes,
    close: async () => file?.close(),
  };
}

/** The part behind `keepBytes` is cut off, because the push sends the records again that it stands for. */
async function opened(path: string, keepBytes: number): Promise<FileHandle> {
  try {
    const file = await open(path, keepBytes === 0 ? 'w' : 'a');
    if (keepBytes > 0) await file.truncate(keepBytes);
    return file;
  } catch (error) {
    throw configInvalid(`${path} cannot be written: ${(error as Error).message}`, 'name another file', '--refused');
  }
}

export const documentOf = ({ record, pointer, reason, message }: RefusedRecord): Record<string, unknown> => ({
  line: record.line,
  record: record.reading,
  reason,
  pointer,
  message,
});

/** The first refusals as a table. */
export const refusalTable = (shown: readonly RefusedRecord[]): string =>
  table(
    ['line', 'field', 'reason', 'found', 'message'],
    shown.map((each) => [
      each.record.line,
      each.pointer === '' ? undefined : short(each.pointer.slice(1), 40),
      each.reason,
      short(foundIn(each), 40),
      short(each.message, 120),
    ]),
    { width: widthOf(process.stdout) },
  );

/** The text at the place to which the refusal points. */
function foundIn({ record, pointer }: RefusedRecord): string {
  const { reading } = record;
  if (pointer === '' || typeof reading !== 'object' || reading === null) {
    return typeof reading === 'string' ? reading : (JSON.stringify(reading) ?? '');
  }
  const value = (reading as Record<string, unknown>)[pointer.slice(1).split('/')[0] ?? ''];
  return value === undefined ? '' : JSON.stringify(value);
}
