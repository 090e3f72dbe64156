import { z } from 'zod';
import { REFUSALS } from '../core/reading.ts';
import type { RefusalReason } from '../core/reading.ts';
import { UNKNOWN_LISTED } from '../ingest/pushed-fields.ts';
import { messageOf } from '../core/refusal-remedies.ts';
import { REFUSALS_LISTED } from '../ingest/pushed-readings.ts';

/** One reading, for the reference only: src/core/reading.ts judges pushed readings, and a test compares the two. */
export const readingSchema = z
  .object({
    sensorId: z
      .string()
      .min(1)
      .max(256)
      .describe('Identifies a sensor uniquely: 1 to 256 characters, no control characters.'),
    valueName: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,128}$/)
      .nullable()
      .default('none')
      .describe('The variable of the sensor to which the value belongs.'),
    date: z
      .string()
      .describe(
        'Date and time in ISO 8601, also in its basic form (`20261120T081530Z`). `Z` and `+00:00` are UTC, and so is no offset; another offset is converted. ' +
          'Digits beyond the microsecond are cut. A date without a time is refused, and so is a date more than 24 hours ' +
          'ahead or 20 years back, unless the operator chose other limits.',
      ),
    value: z.number().describe('A finite JSON number. Text (also "1.5"), true, false, null and 1e999 are refused.'),
    precision: z.int().min(0).max(100).nullish().describe('Quality of the value, a whole number: 99.5 is refused.'),
    labels: z
      .array(z.string().min(1).max(128))
      .nullish()
      .describe('At most 32 different labels. Their order is not kept, and repeated labels count as one.'),
  })
  .describe(
    'Fields that are not listed here are ignored, counted and named in the answer. A field that differs from one of these ' +
      'only in case, blanks, `_` or `-` is a typing error: its reading is refused (`misspelt-field`). A field that is not ' +
      'required may be null, which is as if it were absent.',
  )
  .meta({
    id: 'Reading',
    examples: [
      {
        sensorId: 'pump-7',
        valueName: 'axis_x',
        date: '2026-11-20T08:15:30.123456Z',
        value: 4.25,
        precision: 100,
        labels: ['hall-3'],
      },
    ],
  });

export const bodySchema = z.array(readingSchema);

/** A number of things. */
export const count = (description: string) => z.int().min(0).describe(description);

const refusalSchema = z
  .object({
    index: count('Place of the reading in the body, from 0.'),
    pointer: z.string().describe('JSON pointer to the field or element that is wrong.'),
    reason: z.enum(Object.keys(REFUSALS) as [RefusalReason, ...RefusalReason[]]).describe('The reason, for programs.'),
    message: z.string().describe('The reason in words, for people.'),
  })
  .meta({ id: 'Refusal' });

/** At most this many series of a push that is only tried are listed. */
export const SERIES_LISTED = 100;

const trialSchema = z.object({
  series: count('Different pairs of sensorId and valueName among the readings that a push would store.'),
  newSeries: count('Those of them that the project does not have so far; a misspelt sensorId shows here.'),
  listed: z
    .array(
      z.object({
        sensorId: z.string(),
        valueName: z.string(),
        readings: count('Readings that a push would store, or that are stored already.'),
        first: z.string().describe('The first date.'),
        last: z.string().describe('The last date.'),
        isNew: z.boolean().describe('Whether the project does not have it so far.'),
      }),
    )
    .describe(`The first ${SERIES_LISTED} of them, new ones before others.`),
});

export type TrialAnswer = z.infer<typeof trialSchema>;

/** The query of a push, for the reference only: src/api/trial.ts judges it. */
export const pushQuerySchema = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: judge and count the readings as a push would, and store nothing. The answer has `dryRun`.'),
});

/** An answer to a push, as an example. */
export const SOME_REFUSED = {
  accepted: 998,
  duplicates: 1,
  revised: 0,
  refused: [
    { index: 17, pointer: '/17/value', reason: 'text-number' as const, message: messageOf('text-number', 'pusher') },
  ],
  refusedCount: 1,
  unknownFields: 1000,
  unknownFieldNames: ['unit'],
};

/** The answer to a push, also where some or all readings were refused. */
export const answerSchema = z
  .object({
    accepted: count('Readings stored for the first time.'),
    duplicates: count(
      'Readings that were stored before with the same content, or that are equal to a later one of the same body.',
    ),
    revised: count('Readings that replaced stored ones with other content.'),
    refused: z.array(refusalSchema).describe(`The first ${REFUSALS_LISTED} refused readings, in order.`),
    refusedCount: count('All refused readings.'),
    unknownFields: count('Fields that are not part of a reading; they were ignored.'),
    unknownFieldNames: z
      .array(z.string())
      .describe(`The names of those fields, each once and shortened, at most ${UNKNOWN_LISTED} of them.`),
    dryRun: trialSchema
      .optional()
      .describe(
        'Only with `?dryRun=true`: the series that a push would write. Then the counts above say what a push would store now; nothing was stored.',
      ),
  })
  .meta({
    id: 'PushAnswer',
    examples: [SOME_REFUSED],
  });

export const paramsSchema = z.object({
  organisation_id: z.string().describe('Identifier of the organisation.'),
  ml_project: z.string().describe('Code of the ML project, issued by the operator.'),
});
