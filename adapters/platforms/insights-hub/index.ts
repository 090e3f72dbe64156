import { DAY, MILLISECOND, MINUTE } from '../../../src/core/instant.ts';
import { oauth2Client } from '../../../src/platform/authorisation/oauth2-client.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { find, identify, sensors } from './assets.ts';
import { insightsHubOptions } from './options.ts';
import { read } from './read.ts';

const TOKEN_PATH = '/oauth/token';

/** Siemens Insights Hub, formerly MindSphere. A sensor is an aspect of an asset, with the variables of the aspect. */
export const insightsHub = definePlatform({
  name: 'insights-hub',
  title: 'Insights Hub',
  docs: 'https://developer.siemens.com/insights-hub/docs/apis/iot-iottimeseries/api-iottimeseries-overview.html',
  kinds: {
    // Service credentials: the server of the tenant, <tenant>.piam.<region>, takes them by HTTP Basic
    // (mindsphere/mindconnect-nodejs, src/api/credential-auth.ts).
    'separate-auth-server': oauth2Client({
      clientAuthentication: 'basic',
      tokenUrl: ({ authUrl = '' }) => {
        const server = authUrl.replace(/\/+$/, '');
        return server.endsWith(TOKEN_PATH) ? server : `${server}${TOKEN_PATH}`;
      },
    }),
  },
  options: insightsHubOptions,
  // All tenants of a region have one address of the API; the server that gives the tokens is that of the tenant.
  place: ['connection.url', 'connection.authUrl'],
  facts: {
    // Documented for `from` and `to` of GET …/timeseries (SDK reference, timeseries clients): the reverse of a window.
    bounds: { from: 'exclusive', to: 'inclusive' },
    // `_time` and the parameters have three decimals.
    resolution: MILLISECOND,
    // `sort=asc`
    order: 'ascending',
    // The vendor's command line asks for 2,000 at most; whether more is allowed is not known. The next page is in the header `Link`.
    page: { cap: 2000, more: 'link' },
    // A record that is written again replaces the one of its instant (developer.siemens.com …/api-iottimeseries-samples.html).
    sameInstant: 'one',
    // The path names one asset and one aspect.
    failsAs: 'status',
    // The meaning of the codes is decided in records.ts.
    quality: { good: 100, uncertain: 50, bad: 'refuse' },
    // Ours: no longest range is documented.
    maxWindow: 30 * DAY,
    minWindow: MILLISECOND,
    sensorsPerRead: 1,
    // Without `select` an answer has every variable.
    namesVariables: false,
    // The smallest tenant may send 1,500 reads a minute (developer.siemens.com …/api-iottimeseries-apiratelimits.html); this leaves
    // most of them to others.
    pace: { requestsPerSecond: 5, burst: 5, concurrency: 2 },
    // Ours: data are taken in asynchronously, and nothing says how long that takes.
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
