import { z } from 'zod';
import { text } from '../../../src/core/source/fields.ts';

/** The `options` of a Cognite source. */
export const cogniteOptions = z.strictObject({
  project: text('The project, as it stands in the address of the portal.').meta({ examples: ['plant-north'] }),
  externalIdPrefix: text('Only time series whose external id begins with this text.').optional(),
  strings: z
    .boolean()
    .default(false)
    .describe('Also list time series of text. No text becomes a reading, so they only cost requests.'),
  scope: text(
    'Scope to ask the authorisation server for. Default: the address of the API with `/.default`, as Entra ID wants it, and none where `audience` or `resource` is given.',
    1000,
  ).optional(),
  audience: text('Audience to ask the authorisation server for, where it wants one, such as Auth0.').optional(),
  resource: text('Resource to ask the authorisation server for, where it wants one (RFC 8707).').optional(),
  pointsPerRequest: z
    .int()
    .min(1)
    .max(100_000)
    .default(100_000)
    .describe(
      'Points of all time series in one answer. Lower it where the server does not answer long windows in time.',
    ),
});

/** The options of a source as parsed: defaults are filled in. */
export type CogniteSettings = z.output<typeof cogniteOptions>;
