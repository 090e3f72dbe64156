import { bridgeInvalid } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { MINUTE, fromMillis } from '../core/instant.ts';
import type { ArchivedDay } from './manifest.ts';

/** A file of the archive as it lies there. */
export interface FoundFile {
  readonly bytes: number;
  /** When its content was last changed, or copied there, ms since 1970. */
  readonly changedAt: number;
  /** Differs where the file was changed since. */
  readonly mark: string;
}

/** A file of a day as the manifest knows it. `path` is below the place, with slashes; the checksum is a SHA-256, hexadecimal. */
export type KnownFile = Pick<ArchivedDay, 'path' | 'bytes' | 'sha256' | 'madeAt'>;

/** A file that DuckDB can read. */
export interface OpenFile {
  readonly path: string;
  /** To be called when nobody reads it any more. */
  release(): Promise<void>;
}

/**
 * Where the files of an archive lie. What is data says the manifest alone: only `listed` shows what is there. Faults are `config-invalid`
 * with a remedy, or `unavailable` where trying again later helps; each names the file.
 */
export interface ArchiveFiles {
  /** The place, or a file of it, in words. */
  nameOf(path?: string): string;
  /** Undefined where there is none. */
  find(path: string): Promise<FoundFile | undefined>;
  /** The checksum of what lies there. */
  checksumOf(path: string): Promise<string>;
  /** A local file with the content. Throws as `checkFile`. `whole`: compare its checksum also where it was compared before. */
  open(file: KnownFile, options: { readonly whole: boolean }): Promise<OpenFile>;
  /** Puts a finished local file there for good. The local file is gone then. Until the manifest names it, it is no data. */
  put(local: string, file: Omit<KnownFile, 'madeAt'>, signal: AbortSignal | undefined): Promise<void>;
  /** Also where there is none. */
  remove(path: string): Promise<void>;
  /** The text of a small file; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  write(path: string, text: string): Promise<void>;
  /** Leaves only the present file of a day in reach of other programs. `known`: the paths that the manifest names; false: present. */
  tidy(folder: string, known: ReadonlyMap<string, boolean>): Promise<void>;
  /** The files of days that other programs find there. A list may be of the past. */
  listed(): AsyncIterable<string>;
}

/** A file of a later time than this after its row was changed, or copied, and is compared by its checksum. */
const SAME_TIME = MINUTE;

/** Files that were compared, by mark and checksum. */
const compared = new Set<string>();
const MOST_COMPARED = 100_000;

/**
 * Throws `config-invalid` where the file of an archived day is missing, cut or changed: a day without its file is no day without
 * readings. `whole`: compare its checksum always.
 */
export async function checkFile(
  files: ArchiveFiles,
  file: KnownFile,
  { whole }: { readonly whole: boolean },
): Promise<void> {
  const found = await files.find(file.path);
  if (found === undefined) throw damagedFile(files, file, 'missing');
  if (found.bytes !== file.bytes) throw damagedFile(files, file, found.bytes);
  const key = `${found.mark} ${file.sha256}`;
  if (!whole && (fromMillis(Math.floor(found.changedAt)) <= file.madeAt + SAME_TIME || compared.has(key))) return;
  if ((await files.checksumOf(file.path)) !== file.sha256) throw damagedFile(files, file, 'changed');
  if (compared.size >= MOST_COMPARED) compared.clear();
  compared.add(key);
}

/** The error of a file that is missing or changed, or has so many bytes. */
export function damagedFile(files: ArchiveFiles, file: KnownFile, how: 'missing' | 'changed' | number): BridgeError {
  const day = `the archived day ${/day=([\d-]+)/.exec(file.path)?.[1]}`;
  const name = files.nameOf(file.path);
  return bridgeInvalid(
    how === 'missing'
      ? `${day} has no file: ${name} is missing`
      : how === 'changed'
        ? `${day} has a file that was changed: ${name}`
        : `${day} has a file of ${how} bytes instead of ${file.bytes}: ${name}`,
    'bring the file back from a copy of the archive; databridge archive check lists all such days',
    'DATABRIDGE_ARCHIVE',
  );
}

/** The address of a bucket, or of an object in it. */
export const bucketName = (
  { name, prefix }: { readonly name: string; readonly prefix: string },
  path?: string,
): string => `s3://${[name, prefix, path].filter(Boolean).join('/')}`;
