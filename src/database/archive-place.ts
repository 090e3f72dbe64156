import type { Microseconds } from '../core/instant.ts';

/** The place of archived readings, see `src/archive`. */
export interface ArchivePlace {
  /** Absolute. With a bucket a local directory, for unfinished files and copies of those that are read. */
  readonly directory: string;
  /** Undefined: the files lie in the directory. */
  readonly bucket?: ArchiveBucket | undefined;
  /** A day is moved when it ended so long ago. */
  readonly after: Microseconds;
}

/** An S3-compatible bucket, and how to reach it. */
export interface ArchiveBucket {
  readonly name: string;
  /** Before the names of all objects, without a slash at either end; may be empty. */
  readonly prefix: string;
  /** Undefined: that of Amazon in the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly keyId: string;
  /** Asked for once a process, with the first request; throws `config-invalid`. */
  readonly secret: () => Promise<string>;
  /** File with the certificates of the authorities that the endpoint is trusted by; undefined: those of Node. */
  readonly caFile: string | undefined;
  /** What copies of files that were read may take on the local disk, bytes. */
  readonly cacheBytes: number;
}
