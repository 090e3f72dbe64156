import { DAY, MICROSECOND, MINUTE, SECOND } from '../../../src/core/instant.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { sessionToken } from './login.ts';
import { canaryOptions } from './options.ts';
import { read } from './read.ts';
import { find, identify, recognise, sensors } from './tags.ts';

/**
 * The Read API of Canary Views, paths of version 2. A sensor is a tag, its one variable is `value`. The facts are those of the
 * vendor's help page and sample scripts (CanaryLabs/SampleCode, Samples/V23/Data Retrieval).
 */
export const canary = definePlatform({
  name: 'canary',
  title: 'Canary',
  docs: 'https://helpcenter.canarylabs.com/t/p8y8gzc/using-the-read-api-version-24',
  kinds: { 'user-credentials': sessionToken },
  options: canaryOptions,
  place: ['connection.url'],
  facts: {
    // Not documented.
    bounds: { from: 'unknown', to: 'unknown' },
    // Times have seven digits; the bridge has six.
    resolution: MICROSECOND,
    // The example of the help page.
    order: 'ascending',
    // The default of `maxSize`, which counts the points of each tag in getTagData2; `continuation` is null at the end.
    page: { cap: 10_000, more: 'cursor' },
    // A historian keeps each event.
    sameInstant: 'many',
    // An unknown tag is an error of the whole request; the help page does not say more.
    failsAs: 'whole-batch',
    // OPC DA: the two highest bits of the low byte, and good with a value put in by hand. 32768 is "No Data" (getQualities).
    quality: { 192: 100, 216: 75, 64: 50, 0: 'refuse', 32_768: 'refuse' },
    // Ours: no longest range is documented.
    maxWindow: 7 * DAY,
    minWindow: MICROSECOND,
    // A limit of ours: one request asks for at most this many tags.
    sensorsPerRead: 20,
    namesVariables: false,
    // Ours: no limit is documented.
    pace: { requestsPerSecond: 5, burst: 10, concurrency: 2 },
    // Ours, not documented.
    lateness: 10 * SECOND,
    overlap: 5 * MINUTE,
  },
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  identify,
  recognise,
  sensors,
  find,
  read,
});
