import { DAY, MICROSECOND, MINUTE } from '../../../src/core/instant.ts';
import { basic } from '../../../src/platform/authorisation/basic.ts';
import { oauth2Client } from '../../../src/platform/authorisation/oauth2-client.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { identify, recognise } from './identify.ts';
import { piOptions } from './options.ts';
import type { PiOptions } from './options.ts';
import { find, search, sensors } from './points.ts';
import { read } from './read.ts';

/**
 * AVEVA PI Web API. A sensor is a point (tag) of a PI Data Archive, by its name. Addresses in comments are below
 * https://docs.aveva.com/bundle/.
 */
export const piWebApi = definePlatform({
  name: 'pi-web-api',
  title: 'AVEVA PI Web API',
  docs: 'https://docs.aveva.com/bundle/pi-web-api-reference/page/help/getting-started.html',
  kinds: {
    // The identity provider is discovered at `authUrl`, or at PI Web API itself, which relays its document
    // (pi-web-api-reference/page/help/topics/bearer-authentication.html).
    historian: oauth2Client<PiOptions>({ clientAuthentication: 'post', scope: (_, { scope }) => scope }),
    'user-credentials': basic(),
  },
  options: piOptions,
  place: ['connection.url', 'options.dataServer'],
  facts: {
    // `boundaryType=Inside`: values inside the range (pi-web-api-reference/page/help/topics/boundary-type.html). A public client that
    // reads real servers goes on at its last instant, so `from` belongs to it (timeseer-ai/kukur). Nothing says it of `to`.
    bounds: { from: 'inclusive', to: 'unknown' },
    // Times have steps of 100 ns, of which the bridge keeps and asks microseconds.
    resolution: MICROSECOND,
    // A start before the end: ascending (StreamSet GetRecordedAdHoc, `endTime`).
    order: 'ascending',
    // The default of `options.pageLimit`; the documentation of `maxCount` names no sign of more.
    page: { cap: 10_000, more: 'full-page' },
    // The archive keeps several events at one time, and the paging of kukur drops them by value for that reason.
    sameInstant: 'many',
    // Not documented for sets; where an answer should name the point, that is understood, too.
    failsAs: 'whole-batch',
    // Flags of each value (pi-web-api-reference, Stream GetRecorded). The precisions are ours.
    quality: { Good: 100, Substituted: 75, Questionable: 50, Bad: 'refuse' },
    // No longest range is documented. Ours.
    maxWindow: 30 * DAY,
    minWindow: MICROSECOND,
    // Ours: 15 × 10,000 values stay within 150,000, which is `MaxReturnedItemsPerCall` (pi-web-api/page/1023030.html), also where the
    // server counts those of all points; and 15 WebIds make an address of less than 2,000 characters.
    sensorsPerRead: 15,
    namesVariables: false,
    // 1,000 requests a second for each client (pi-web-api/page/1023029.html); this leaves room for those of the plant.
    pace: { requestsPerSecond: 10, burst: 10, concurrency: 2 },
    // Ours, not documented: interfaces and buffers send in batches, and late events come in after an outage.
    lateness: MINUTE,
    overlap: 10 * MINUTE,
  },
  // No option names points or values otherwise.
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  identify,
  recognise,
  sensors,
  find,
  search,
  read,
});
