import { DAY, MICROSECOND, MINUTE } from '../../../src/core/instant.ts';
import { oauth2Client } from '../../../src/platform/authorisation/oauth2-client.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { identify, recognise } from './namespace.ts';
import { hubOptions } from './options.ts';
import type { HubOptions } from './options.ts';
import { read } from './read.ts';
import { find, sensors } from './streams.ts';

/**
 * AVEVA Data Hub (CONNECT data services, formerly OSIsoft Cloud Services). A sensor is a stream, a variable one of its properties.
 * Facts are from osisoft/OCS-Docs, content/api-reference, unless another source is named.
 */
export const avevaDataHub = definePlatform({
  name: 'aveva-data-hub',
  title: 'AVEVA Data Hub',
  docs: 'https://docs.aveva.com/bundle/data-hub/page/developer-guide/sequential-data-store-dev/sds-read-data.html',
  kinds: {
    // The host of the API relays the document of its identity service; no scope (AVEVA/sample-adh-sample_libraries-python,
    // Authentication.py).
    historian: oauth2Client<HubOptions>({
      clientAuthentication: 'post',
      discovery: ({ url = '', authUrl }) => authUrl ?? `${url.replace(/\/+$/, '')}/identity`,
    }),
  },
  options: hubOptions,
  place: ['connection.url', 'options.tenant', 'options.namespace'],
  facts: {
    // `boundaryType=0`, Exact: an event at either index is returned (sequential-data-store/sds-stream-data.md).
    bounds: { from: 'inclusive', to: 'inclusive' },
    // Indexes have steps of 100 ns, of which the bridge keeps and asks microseconds.
    resolution: MICROSECOND,
    // By the index of the stream.
    order: 'ascending',
    // The default of `options.pageLimit`; then a ContinuationToken (osisoft/Edge-Data-Store-Docs, reading-data-api.md).
    page: { cap: 10_000, more: 'cursor' },
    // The index of a stream is unique.
    sameInstant: 'one',
    // The path names one stream.
    failsAs: 'status',
    // Flags of PI-fed streams (osisoft/sample-adh-pi_to_adh_read_only_data-dotnet). The precisions are ours.
    quality: { Good: 100, Substituted: 75, Questionable: 50 },
    // No longest range is documented. Ours.
    maxWindow: 30 * DAY,
    minWindow: MICROSECOND,
    // The path names one stream; bulk reads have no pages.
    sensorsPerRead: 1,
    // An event comes with all its properties.
    namesVariables: false,
    // Ours: no rate is published.
    pace: { requestsPerSecond: 5, burst: 5, concurrency: 2 },
    // Ours, not documented: transfers from PI and edge stores send in batches, and late events come in after an outage.
    lateness: MINUTE,
    overlap: 10 * MINUTE,
  },
  // No option names streams or properties otherwise.
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  identify,
  recognise,
  sensors,
  find,
  read,
});
