import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { configInvalid } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { FORMATS } from './file.ts';

const countSchema = z.int().min(0);

/** What is counted of a file, over all runs that belong together. */
const countsSchema = z.strictObject({
  read: countSchema,
  accepted: countSchema,
  duplicates: countSchema,
  revised: countSchema,
  refused: countSchema,
  unknownFields: countSchema,
  refusedByReason: z.record(z.string(), countSchema),
});

export type UploadCounts = z.infer<typeof countsSchema>;

/** Where the readings of a file go. */
const targetSchema = z.strictObject({ url: z.string(), organisation: z.string(), project: z.string() });

export type UploadTarget = z.infer<typeof targetSchema>;

const stateSchema = z.strictObject({
  databridgePush: z.literal(1),
  target: targetSchema,
  format: z.enum(FORMATS),
  /** The heading of CSV. */
  columns: z.array(z.string()).optional(),
  place: z.strictObject({ offset: countSchema, line: countSchema }),
  /** Fingerprints of the beginning of the file and of what stands before the place. */
  head: z.strictObject({ bytes: countSchema, sha256: z.string() }),
  before: z.strictObject({ bytes: countSchema, sha256: z.string() }),
  counts: countsSchema,
  /** How long the file of refusals was. */
  refusedBytes: countSchema,
});

/** How far a file was sent: all before `place` was answered. */
export type State = z.infer<typeof stateSchema>;

const HEAD_BYTES = 1_048_576;
const BEFORE_BYTES = 4_096;

/** The state of a file, or undefined where there is none. Throws `config-invalid` where it cannot be read. */
export async function readState(path: string): Promise<State | undefined> {
  const unreadable = (why: string): BridgeError =>
    configInvalid(
      `${path} is no state of a push: ${why}`,
      'remove it, or add --restart; sending readings twice is harmless',
    );
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable((error as Error).message);
  }
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    throw unreadable('something else stands in it');
  }
}

/**
 * Why a state does not belong to what is to be sent, or undefined where it does. The file may have grown, moved or been
 * touched: its beginning and what stands before the place count.
 */
export async function mismatchOf(state: State, file: string, target: UploadTarget): Promise<string | undefined> {
  for (const [name, kept] of Object.entries(state.target)) {
    if (target[name as keyof UploadTarget] !== kept) return `it went to ${name} ${kept}`;
  }
  const { head, before, place } = state;
  if ((await fingerprint(file, 0, head.bytes)) !== head.sha256) return `the beginning of ${file} is another one now`;
  const start = place.offset - before.bytes;
  if ((await fingerprint(file, start, before.bytes)) === before.sha256) return undefined;
  return `what stands before line ${place.line} of ${file} has changed`;
}

export interface StateFile {
  /** Keeps how far a file was sent, all or nothing. */
  keep(state: Omit<State, 'databridgePush' | 'head' | 'before'>): Promise<void>;
  remove(): Promise<void>;
}

/** Where progress with a file is kept. Not a truth: without it readings are sent twice, which is harmless. */
export async function openStateFile(path: string, file: string): Promise<StateFile> {
  const bytes = Math.min(HEAD_BYTES, await sizeOf(file));
  const head = { bytes, sha256: await fingerprint(file, 0, bytes) };
  return {
    async keep(progress) {
      const length = Math.min(BEFORE_BYTES, progress.place.offset);
      const sha256 = await fingerprint(file, progress.place.offset - length, length);
      const state: State = { databridgePush: 1, ...progress, head, before: { bytes: length, sha256 } };
      await writeFile(`${path}.new`, JSON.stringify(state));
      await rename(`${path}.new`, path);
    },
    remove: () => rm(path, { force: true }),
  };
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path);
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** SHA-256 of a part of a file; of less where the file is shorter. */
async function fingerprint(path: string, start: number, length: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, start));
    return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('base64url');
  } finally {
    await file.close();
  }
}
