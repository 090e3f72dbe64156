import { z } from 'zod';
import { configInvalid } from '../../core/errors.ts';

// A backup is: a line with the version of the format, a line with the header as JSON, one zstd stream of frames, the end mark,
// and the SHA-256 of everything before it.

/** The version of the format that this program writes and reads. */
const FORMAT = 1;
const TITLE = 'databridge backup ';
export const FIRST_LINE = `${TITLE}${FORMAT}\n`;
export const END_MARK = Buffer.from('\nthe end\n');
export const DIGEST_BYTES = 32;

const headerSchema = z.object({
  /** The version of the databridge that made the backup. */
  version: z.string(),
  createdAt: z.string(),
  migrations: z.array(z.string()).min(1),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()).min(1),
      /** The newest number of its identity column. */
      identity: z.object({ column: z.string(), last: z.number().int(), used: z.boolean() }).optional(),
      /** Bounds in µs; the first partition may have no lower one. */
      partitions: z.array(z.object({ from: z.number().int().nullable(), to: z.number().int() })).optional(),
    }),
  ),
  key: z.object({
    /** A keyed hash that tells whether a key is the one the secrets were sealed with. */
    digest: z.string(),
    /** Where the key was when the backup was made, for people. */
    place: z.string(),
    /** The key itself, only where the operator asked for it. */
    text: z.string().optional(),
  }),
});

export type BackupHeader = z.infer<typeof headerSchema>;
export type BackupTable = BackupHeader['tables'][number];

/** The header in `text`, which begins a file. Undefined where more of the file is needed. */
export function headerIn(text: Buffer, path: string): { header: BackupHeader; length: number } | undefined {
  const title = text.subarray(0, TITLE.length).toString();
  if (!TITLE.startsWith(title)) throw notABackup(path);
  const firstEnd = text.indexOf('\n');
  if (firstEnd === -1) return undefined;
  const format = text.subarray(0, firstEnd + 1).toString();
  if (format !== FIRST_LINE) {
    throw configInvalid(
      `${path} has format ${format.slice(TITLE.length).trim()}, and format ${FORMAT} can be read here`,
      'restore it with the databridge that made it, or a newer one',
    );
  }
  const end = text.indexOf('\n', firstEnd + 1);
  if (end === -1) return undefined;
  try {
    const header = headerSchema.parse(JSON.parse(text.subarray(firstEnd + 1, end).toString()));
    return { header, length: end + 1 };
  } catch {
    throw damaged(path);
  }
}

/** What a frame holds: the name of a table, rows of it as COPY writes them, their number, or the sums of all tables. */
export type FrameKind = 'table' | 'rows' | 'count' | 'sums';
const KINDS: readonly FrameKind[] = ['table', 'rows', 'count', 'sums'];
const FRAME_HEAD = 5;

export interface Frame {
  readonly kind: FrameKind;
  readonly content: Buffer;
}

/** A frame: its kind in a byte, its length in four, its content. */
export function encodeFrame(kind: FrameKind, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUInt8(KINDS.indexOf(kind));
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** The frames in chunks of any length. */
export async function* framesIn(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Frame> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= FRAME_HEAD) {
      const end = FRAME_HEAD + rest.readUInt32BE(1);
      const kind = KINDS[rest.readUInt8()];
      if (kind === undefined) throw damaged(path);
      if (rest.length < end) break;
      yield { kind, content: rest.subarray(FRAME_HEAD, end) };
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) throw damaged(path);
}

const ANOTHER = 'restore another backup; nothing was written';

export const notABackup = (path: string): Error =>
  configInvalid(`${path} is no backup of databridge`, 'name a file that databridge backup made');
export const cutShort = (path: string): Error =>
  configInvalid(`${path} is cut short: its end is missing`, `copy the file again, or ${ANOTHER}`);
export const damaged = (path: string): Error =>
  configInvalid(
    `${path} is damaged: it does not have the content that was written`,
    `copy the file again, or ${ANOTHER}`,
  );
