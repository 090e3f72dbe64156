import { z } from 'zod';
import type { sourceDocument, streamDocument, windowDocument } from '../source/showing.ts';
import { shows } from './documents.ts';
import { LINE, faultSchema } from './source-shapes.ts';

const EXAMPLE_STREAM = {
  key: 'pump',
  sensors: 120,
  covered: [{ from: '2026-11-01T00:00:00Z', to: '2026-11-22T10:00:00Z' }],
  ranges: 1,
  unreadable: [],
  unreadableCount: 0,
  unreadableLeft: 0,
  unreadableLength: 0,
  lookAgain: 0,
  newestAt: '2026-11-22T09:59:58Z',
  newsAge: 0,
  newsBeyond: 0,
  mayMissLateData: false,
  window: '1h',
  historyDueAt: null,
  failures: 0,
  retryAt: null,
  absentSince: null,
  fault: null,
};

/** A stream of a source. */
export const streamSchema = shows<ReturnType<typeof streamDocument>>()(
  z
    .object({
      key: z.string(),
      sensors: z.int(),
      covered: z.array(z.object({ from: z.string(), to: z.string() })).describe('The newest ranges, the newest last.'),
      ranges: z.int().describe('All covered ranges.'),
      unreadable: z
        .array(
          z.object({
            from: z.string(),
            to: z.string(),
            retryAt: z.string().nullable().describe('Null before the start where no running backfill asks for it.'),
            fault: faultSchema,
          }),
        )
        .describe('The newest stretches that could not be read, the newest last.'),
      unreadableCount: z.int(),
      unreadableLeft: z.int().describe('Those that are not asked for again, because they lie before the start.'),
      unreadableLength: z.number().describe('Length of all of them, µs.'),
      lookAgain: z.number().describe('Length of the covered time that is to be asked once more for late data, µs.'),
      newestAt: z.string().nullable().describe('The instant of its newest reading.'),
      newsAge: z.number().describe('Age of the oldest new or revised reading found in covered time, µs.'),
      newsBeyond: z.number().describe('How many of them were older than `schedule.lookBackAtMost`.'),
      mayMissLateData: z.boolean().describe('Looks for late data end at that bound, and there may be more beyond.'),
      window: z.string().nullable().describe('The length of window that works, such as `1h`.'),
      historyDueAt: z.string().nullable(),
      failures: z.int().describe('In a row.'),
      retryAt: z.string().nullable(),
      absentSince: z.string().nullable().describe('Since when looks do not show its sensors; it is still read.'),
      fault: faultSchema.nullable(),
    })
    .meta({ id: 'Stream', examples: [EXAMPLE_STREAM] }),
);

const milliseconds = (words: string) => z.number().describe(`${words}, ms.`);

/** A window of the log. */
export const windowSchema = shows<ReturnType<typeof windowDocument>>()(
  z
    .object({
      stream: z.string().nullable(),
      lane: z.enum(['live', 'history']),
      from: z.string(),
      to: z.string(),
      askedAt: z.string(),
      windows: z
        .int()
        .describe(
          'Above 1 where it stands for the quiet windows of a minute: counts are sums then, and times averages.',
        ),
      slowestMs: z.number().nullable().describe('The longest of those windows took this long; null for one window.'),
      requests: z.int(),
      bytes: z.int(),
      readings: z.int(),
      duplicates: z.int(),
      revised: z.int(),
      refused: z.int(),
      repeats: z.int().describe('Samples equal to another one of the window.'),
      outside: z.int().describe('Samples that were not asked for.'),
      late: z.int(),
      waitedMs: milliseconds('Waited for the pace'),
      httpMs: milliseconds('Asked the platform'),
      normaliseMs: milliseconds('Made readings of the answer'),
      storeMs: milliseconds('Stored them'),
    })
    .meta({
      id: 'Window',
      examples: [
        {
          stream: 'pump',
          lane: 'live',
          from: '2026-11-22T09:59:00Z',
          to: '2026-11-22T10:00:00Z',
          askedAt: '2026-11-22T10:00:31Z',
          windows: 1,
          slowestMs: null,
          requests: 1,
          bytes: 5120,
          readings: 60,
          duplicates: 0,
          revised: 0,
          refused: 0,
          repeats: 0,
          outside: 0,
          late: 0,
          waitedMs: 0.1,
          httpMs: 12.5,
          normaliseMs: 0.4,
          storeMs: 2.1,
        },
      ],
    }),
);

/** A configuration in answers: any, as far as this API knows. */
export const configurationField = z.unknown().meta({
  id: 'Configuration',
  description: 'As the operator wrote it; a secret reads `(secret)`. Its fields are those of `getPlatformGuide`.',
});

/** Characters of a configuration as JSON that an answer may have beside other things. */
const LONGEST_CONFIGURATION = 512 * 1024;

/** A configuration in an answer. A long one is left out as a whole, because a part of it could be taken for all and applied. */
export const shortConfiguration = (config: unknown) => {
  const configLeftOut = JSON.stringify(config).length > LONGEST_CONFIGURATION;
  return { config: configLeftOut ? null : config, configLeftOut };
};

type SourceDocument = ReturnType<typeof sourceDocument> & {
  readonly configLeftOut: boolean;
  readonly nextStreams: string | null;
  readonly nextWindows: string | null;
};

/** A source with all there is to know of it. */
export const sourceSchema = shows<SourceDocument>()(
  z
    .object({
      ...LINE.fields,
      kind: z.string().describe('The form of its credentials.'),
      revision: z.int(),
      revisionTag: z.string().describe('The value of `ETag`, for `If-Match` of a change.'),
      config: configurationField,
      configLeftOut: z
        .boolean()
        .describe('The configuration is longer than 512 kB, and null here: `exportSource` has the whole file.'),
      slowed: z
        .string()
        .nullable()
        .describe('How much slower than agreed its platform is asked, why, and until when; null: as agreed.'),
      startAt: z.string(),
      createdAt: z.string(),
      nextDueAt: z.string().nullable(),
      lastPollAt: z.string().nullable(),
      lookedAt: z.string().nullable().describe('End of the last complete look for sensors.'),
      lookDueAt: z.string().nullable(),
      lookFailures: z.int(),
      awaitsLook: z.boolean().describe('Polls wait for a look, because the configuration was replaced.'),
      refused24h: z.int(),
      repeats24h: z.int(),
      outside24h: z.int(),
      pace: z
        .object({
          holdUntil: z.string().nullable().describe('No request leaves before.'),
          leases: z
            .array(
              z.object({
                id: z.string(),
                lane: z.enum(['live', 'history', 'look']),
                until: z.string(),
                abandoned: z.literal(true).optional().describe('Given up, and the platform may still work on it.'),
              }),
            )
            .describe('Requests under way.'),
        })
        .nullable(),
      streams: z.array(streamSchema).describe('The first streams, in the order of their keys.'),
      nextStreams: z.string().nullable().describe('The cursor of `listStreams` for those that follow.'),
      windows: z.array(windowSchema).describe('The last windows that were asked for.'),
      nextWindows: z.string().nullable().describe('The cursor of `listWindows` for those that follow.'),
      refusals: z
        .array(
          z.object({
            reason: z.string(),
            refused: z.int(),
            series: z.int().describe('Variables that they are of.'),
            first: z.string().nullable(),
            last: z.string().nullable(),
            examples: z.array(
              z.object({ sensor: z.string(), variable: z.string(), at: z.string().nullable(), raw: z.string() }),
            ),
          }),
        )
        .describe('Refused points that stand, by reason.'),
      seriesOfOthers: z
        .array(z.object({ owner: z.string().nullable().describe('Null: pushing applications.'), series: z.int() }))
        .describe('Series that it names and that another one owns.'),
    })
    .meta({
      id: 'Source',
      examples: [
        {
          ...LINE.example,
          kind: 'user-credentials',
          revision: 3,
          revisionTag: '3-0a1b2c3d',
          config: { name: 'hall-3', platform: 'influxdb', connection: { password: '(secret)' } },
          configLeftOut: false,
          slowed: null,
          startAt: '2026-11-01T00:00:00Z',
          createdAt: '2026-11-01T00:00:00Z',
          nextDueAt: '2026-11-22T10:01:30Z',
          lastPollAt: '2026-11-22T10:00:31Z',
          lookedAt: '2026-11-22T09:30:00Z',
          lookDueAt: '2026-11-22T10:30:00Z',
          lookFailures: 0,
          awaitsLook: false,
          refused24h: 0,
          repeats24h: 0,
          outside24h: 0,
          pace: null,
          streams: [EXAMPLE_STREAM],
          nextStreams: null,
          windows: [],
          nextWindows: null,
          refusals: [],
          seriesOfOthers: [],
        },
      ],
    }),
);
