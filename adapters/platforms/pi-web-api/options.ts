import { z } from 'zod';
import { text } from '../../../src/core/source/fields.ts';

/** The default of `MaxReturnedItemsPerCall` of the server (docs.aveva.com/bundle/pi-web-api/page/1023030.html). */
export const MOST_RETURNED = 150_000;

/** The `options` of a PI Web API source. */
export const piOptions = z.strictObject({
  dataServer: text(
    'Name of the data server (PI Data Archive). Needed where PI Web API shows more than one.',
  ).optional(),
  nameFilter: text(
    'Only points whose name matches: `*` stands for any characters, `?` for one. A point that the source lists under `sensors` need not match.',
  ).default('*'),
  pointTypes: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'Only points of these types, such as `Float64` or `Digital`. Default: every type except `String`, `Blob` and `Timestamp`, which hold no numbers.',
    ),
  // With fewer than two, paging stands still.
  pageLimit: z
    .int()
    .min(2)
    .max(MOST_RETURNED)
    .default(10_000)
    .describe(
      'Values per point and request. Lower it where the administrator lowered `MaxReturnedItemsPerCall` of PI Web API below it.',
    ),
  scope: text(
    'Scope of the token, kind `historian`. Which one is needed depends on the identity provider: for example `system`, or `api://…/.default`.',
  ).optional(),
});

/** The options of a source as parsed: defaults are filled in. */
export type PiOptions = z.output<typeof piOptions>;
