import { z } from 'zod';

/** The `options` of a Canary source. */
export const canaryOptions = z.strictObject({
  path: z
    .string()
    .min(1)
    .optional()
    .describe('Only the tags below this path of the Views service. Default: every tag that the user may see.')
    .meta({ examples: ['Plant.Hall 1'] }),
  pageSize: z
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe('Points of a tag in one answer. The service may lower it in silence; nothing is lost then.'),
});

/** The options of a source as parsed: defaults are filled in. */
export type CanarySettings = z.output<typeof canaryOptions>;
