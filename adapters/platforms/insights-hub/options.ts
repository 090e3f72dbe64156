import { z } from 'zod';

/** The `options` of an Insights Hub source. */
export const insightsHubOptions = z.strictObject({
  aspects: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Only aspects with these names. Default: every dynamic aspect of every asset the client may see.'),
  qualities: z
    .record(z.string(), z.enum(['good', 'uncertain', 'bad']))
    .default({})
    .describe(
      'Meaning of quality codes that are not OPC UA status codes, such as `{ "192": good, "64": uncertain }` of devices that send those of OPC DA.',
    ),
  recordsPerRequest: z
    .int()
    .min(1)
    .max(2000)
    .default(2000)
    .describe('Records of an aspect in one answer. Lower it where the server does not answer long windows in time.'),
});

/** The options of a source as parsed: defaults are filled in. */
export type InsightsHubSettings = z.output<typeof insightsHubOptions>;
