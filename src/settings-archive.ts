import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { DAY } from './core/instant.ts';
import type { Microseconds } from './core/instant.ts';

/**
 * Days. A write looks for readings in the archive that are up to two days younger than this age, because whole days move and clocks
 * differ. With less than three it would look for each live reading.
 */
export const LEAST_AFTER = 3;

/** The environment variables of the archive. */
export const archiveFields = {
  DATABRIDGE_ARCHIVE: z
    .string()
    .refine(isAbsolute, 'is not an absolute path')
    .optional()
    .describe(
      'absolute path of a directory into which days of readings that have settled are moved as Parquet files, the same on every host; without it all readings stay in the database',
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
};

/** Where the days of readings that have settled lie, and the age at which a day is moved there. */
export interface ArchiveSettings {
  /** Absolute. */
  readonly directory: string;
  readonly after: Microseconds;
}

const schema = z.object(archiveFields);

/** Undefined: readings stay in the database. */
export const archiveSettings = (values: z.infer<typeof schema>): ArchiveSettings | undefined =>
  values.DATABRIDGE_ARCHIVE === undefined
    ? undefined
    : { directory: resolve(values.DATABRIDGE_ARCHIVE), after: values.DATABRIDGE_ARCHIVE_AFTER * DAY };
