import { DAY, MILLISECOND, MINUTE } from '../../../src/core/instant.ts';
import { oauth2Client } from '../../../src/platform/authorisation/oauth2-client.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { identify } from './identify.ts';
import { cogniteOptions } from './options.ts';
import type { CogniteSettings } from './options.ts';
import { MOST_SERIES, read } from './read.ts';
import { find, sensors } from './series.ts';

/** Cognite Data Fusion. A sensor is a time series with one variable, `value`. */
export const cognite = definePlatform({
  name: 'cognite',
  title: 'Cognite Data Fusion',
  docs: 'https://docs.cognite.com/api-reference/concepts/20230101/datapoints',
  kinds: {
    // The platform gives no tokens: any OAuth2 server may (docs.cognite.com/cdf/access/concepts/minimum_idp_requirements).
    'separate-auth-server': oauth2Client<CogniteSettings>({
      clientAuthentication: 'post',
      scope: ({ url = '' }, { scope, audience, resource }) =>
        scope ?? (audience === undefined && resource === undefined ? `${new URL(url).origin}/.default` : undefined),
      audience: (_, { audience }) => audience,
      resource: (_, { resource }) => resource,
    }),
  },
  options: cogniteOptions,
  place: ['connection.url', 'options.project'],
  facts: {
    // OpenAPI, timeseries/data/list: `start` is inclusive, `end` exclusive.
    bounds: { from: 'inclusive', to: 'exclusive' },
    // Parts of a millisecond are not supported (docs.cognite.com …/concepts/20230101/datapoints).
    resolution: MILLISECOND,
    // The words about `limit` and cursors imply ascending time, and nothing states it.
    order: 'none',
    // OpenAPI: at most 100,000 raw points of all series in one answer, and `nextCursor` for each series that has more.
    page: { cap: 100_000, more: 'cursor' },
    // A point is identified by its series and its timestamp; a later one replaces it.
    sameInstant: 'one',
    // Unknown ids are a 400 that names them in `missing`, and no series is answered.
    failsAs: 'whole-batch',
    // OPC UA: the two highest bits of a status (docs.cognite.com/dev/concepts/reference/status_codes). A good point has none.
    quality: { 0: 100, 1: 50, 2: 'refuse' },
    // Ours: no longest range is documented, and wide gaps are no trouble with cursors.
    maxWindow: 90 * DAY,
    minWindow: MILLISECOND,
    sensorsPerRead: MOST_SERIES,
    namesVariables: false,
    // Ours: no budget is published for points. The rate counts for each client, and refused requests use it up, too
    // (docs.cognite.com …/dev/concepts/request_throttling).
    pace: { requestsPerSecond: 5, burst: 5, concurrency: 2 },
    // Ours: extractors send in batches.
    lateness: MINUTE,
    overlap: 10 * MINUTE,
  },
  // No option decides on a name.
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  identify,
  sensors,
  find,
  read,
});
