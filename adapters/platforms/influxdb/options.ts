import { z } from 'zod';
import { text } from '../../../src/core/source/fields.ts';

const names = (description: string) =>
  z
    .array(text('A name'))
    .min(1)
    .refine((items) => new Set(items).size === items.length, { message: 'holds a name twice' })
    .describe(description);

/** The `options` of an InfluxDB source. */
export const influxOptions = z
  .strictObject({
    database: text('The database that is read.').meta({ examples: ['plant'] }),
    retentionPolicy: text('The retention policy that is read. Default: the default one of the database.').optional(),
    measurements: names(
      'Only these measurements, by exact name. Default: every measurement of the database.',
    ).optional(),
    // 10,000 is what InfluxDB takes by itself (DefaultChunkSize in services/httpd/handler.go).
    chunkSize: z
      .int()
      .min(1)
      .max(50_000)
      .default(10_000)
      .describe('Rows per piece of an answer; one piece is held in memory at once.'),
    sensorTag: text(
      'The tag whose value names the sensor. Its variables are then called measurement.field. Default: measurement and all tags name it.',
    ).optional(),
    ignoreTags: names(
      'Tags that do not distinguish sensors, such as the version of a firmware; they become labels.',
    ).optional(),
    skipStringFields: z
      .boolean()
      .default(false)
      .describe(
        'Leave texts out uncounted. Default: each is refused and counted, like any value that is not a number.',
      ),
  })
  .refine(({ sensorTag, ignoreTags }) => sensorTag === undefined || ignoreTags === undefined, {
    path: ['ignoreTags'],
    message: 'has no effect with sensorTag, which leaves every other tag out of the name',
    params: { remedy: 'remove one of the two' },
  });

/** The options of a source as parsed: defaults are filled in. */
export type InfluxOptions = z.output<typeof influxOptions>;
