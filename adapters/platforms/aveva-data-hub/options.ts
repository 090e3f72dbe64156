import { z } from 'zod';
import { text } from '../../../src/core/source/fields.ts';

/** The `options` of an AVEVA Data Hub source. */
export const hubOptions = z.strictObject({
  tenant: text('Identifier of the tenant, a UUID. The portal shows it.'),
  namespace: text('Identifier of the namespace that holds the streams.'),
  query: text(
    'Only streams that this search finds, in the words of the vendor: `pump*`, `Id:PI_* AND Name:*.FLOW`. A stream that the source lists under `sensors` need not be found.',
  ).default('*'),
  // An answer of 250,000 events is the smallest limit that the documentation has named.
  pageLimit: z
    .int()
    .min(1)
    .max(250_000)
    .default(10_000)
    .describe('Events per request. Lower it where the hub answers 408 to long windows.'),
});

/** The options of a source as parsed: defaults are filled in. */
export type HubOptions = z.output<typeof hubOptions>;
