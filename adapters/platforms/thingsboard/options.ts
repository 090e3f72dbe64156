import { z } from 'zod';

/** The `options` of a ThingsBoard source. */
export const thingsboardOptions = z.strictObject({
  devices: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Only these devices, each by its id (UUID) or its exact name. Default: every device the user may see.'),
  deviceType: z.string().min(1).optional().describe('Only devices of this type, as the platform writes it.'),
  keys: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Only these time series keys of each device. Default: every key it has.'),
  sensorId: z
    .enum(['id', 'name'])
    .default('id')
    .describe(
      'The name of the sensor: the id of the device, which never changes, or its name, which a user may change.',
    ),
  // Above about 30,000 servers gave up on the request: thingsboard/thingsboard#1580. With fewer than two, paging
  // stands still.
  pageLimit: z
    .int()
    .min(2)
    .max(30_000)
    .default(10_000)
    .describe('Points per key and request. Lower it where the server answers 503 to long windows.'),
  history: z
    .enum(['auto', 'old', 'history'])
    .default('auto')
    .describe(
      'Path of the history: `history` (…/timeseries/history), `old` (…/values/timeseries, 2.x and 3.x), or `auto`: the new one first.',
    ),
});

/** The options of a source as parsed: defaults are filled in. */
export type ThingsBoardSettings = z.output<typeof thingsboardOptions>;
