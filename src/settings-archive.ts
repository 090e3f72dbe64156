import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { configInvalid } from './core/errors.ts';
import { DAY } from './core/instant.ts';
import type { Microseconds } from './core/instant.ts';

/**
 * Days. A write looks for readings in the archive that are up to two days younger than this age, because whole days move and clocks
 * differ. With less than three it would look for each live reading.
 */
export const LEAST_AFTER = 3;

/** A bucket, and the beginning of the names of objects in it. */
const BUCKET = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/((?:[\w!.*'()=-]+\/)*[\w!.*'()=-]+))?\/?$/;

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && search === '' && hash === '';
}

/** The environment variables of the archive. */
export const archiveFields = {
  DATABRIDGE_ARCHIVE: z
    .string()
    .refine((text) => isAbsolute(text) || BUCKET.test(text), 'is neither an absolute path nor like s3://bucket/prefix')
    .optional()
    .describe(
      'place into which days of readings that have settled are moved as Parquet files, the same on every host: absolute path of a directory, or a bucket like `s3://bucket/prefix`; without it all readings stay in the database',
    ),
  DATABRIDGE_ARCHIVE_AFTER: z.coerce
    .number()
    .int()
    .min(LEAST_AFTER)
    .max(36_500)
    .default(60)
    .describe(
      'days after which a day of readings is moved to DATABRIDGE_ARCHIVE, 3 or more, because readings up to two days younger are looked for in the archive when they are stored; best longer than `lookBackAtMost` of every source, because each look for late data would read the files',
    ),
  DATABRIDGE_ARCHIVE_ENDPOINT: z
    .string()
    .refine(isEndpoint, 'is not an address like https://store.plant.example')
    .optional()
    .describe(
      'address of the store that has the S3-compatible bucket of DATABRIDGE_ARCHIVE, `https://` or `http://`; the bucket is the first part of the path; without it Amazon S3',
    ),
  DATABRIDGE_ARCHIVE_REGION: z.string().default('us-east-1').describe('region of the bucket'),
  DATABRIDGE_ARCHIVE_KEY_ID: z
    .string()
    .optional()
    .describe('id of the access key that may read, write, delete and list in the bucket; a bucket needs it'),
  DATABRIDGE_ARCHIVE_SECRET: z
    .string()
    .optional()
    .describe('secret of that key, or a reference like `${file:/run/secrets/archive}`; a bucket needs it'),
  DATABRIDGE_ARCHIVE_CA: z
    .string()
    .refine(isAbsolute, 'is not an absolute path')
    .optional()
    .describe('file with the certificate of the authority of the store; without it the usual authorities are trusted'),
  DATABRIDGE_ARCHIVE_LOCAL: z
    .string()
    .optional()
    .describe(
      'with a bucket: directory on a local disk for unfinished files and for copies of files that were read; without it `archive` in DATABRIDGE_HOME',
    ),
  DATABRIDGE_ARCHIVE_CACHE_MB: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000_000)
    .default(5_000)
    .describe('with a bucket: what those copies take on the disk at most, besides files that are being read, MB'),
};

/** Where the days of readings that have settled lie, and the age at which a day is moved there. */
export interface ArchiveSettings {
  /** Absolute. With a bucket the local directory. */
  readonly directory: string;
  readonly after: Microseconds;
  readonly bucket: BucketSettings | undefined;
}

/** A bucket, and how to reach it. */
export interface BucketSettings {
  readonly name: string;
  /** Without a slash at either end; may be empty. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly keyId: string;
  /** The secret, or a reference to it. */
  readonly secret: string;
  readonly caFile: string | undefined;
  readonly cacheBytes: number;
}

const schema = z.object(archiveFields);

/** Undefined: readings stay in the database. `home`: DATABRIDGE_HOME. Throws `config-invalid` where a bucket has no key. */
export function archiveSettings(values: z.infer<typeof schema>, home: string): ArchiveSettings | undefined {
  const { DATABRIDGE_ARCHIVE: place } = values;
  if (place === undefined) return undefined;
  const after = values.DATABRIDGE_ARCHIVE_AFTER * DAY;
  const [, name, prefix = ''] = BUCKET.exec(place) ?? [];
  if (name === undefined) return { directory: resolve(place), after, bucket: undefined };
  return {
    directory: resolve(values.DATABRIDGE_ARCHIVE_LOCAL ?? join(home, 'archive')),
    after,
    bucket: {
      name,
      prefix,
      endpoint: values.DATABRIDGE_ARCHIVE_ENDPOINT,
      region: values.DATABRIDGE_ARCHIVE_REGION,
      keyId: needed('DATABRIDGE_ARCHIVE_KEY_ID', values.DATABRIDGE_ARCHIVE_KEY_ID),
      secret: needed('DATABRIDGE_ARCHIVE_SECRET', values.DATABRIDGE_ARCHIVE_SECRET),
      caFile: values.DATABRIDGE_ARCHIVE_CA,
      cacheBytes: values.DATABRIDGE_ARCHIVE_CACHE_MB * 1_000_000,
    },
  };
}

function needed(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw configInvalid(
    `${name}: is not set, and the bucket of DATABRIDGE_ARCHIVE needs it`,
    `set ${name} as docs/settings.md says`,
    name,
  );
}
