import { z } from 'zod';

/** The `options` of an SKF Observer source. */
export const skfObserverOptions = z.strictObject({
  answerLimit: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Rows after which the server cuts an answer in silence. An answer with as many rows is then asked for in shorter windows. Default: nothing is cut.',
    ),
});

/** The options of a source as parsed: defaults are filled in. */
export type SkfObserverSettings = z.output<typeof skfObserverOptions>;
