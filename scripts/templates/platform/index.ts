import { DAY, MILLISECOND, MINUTE } from '../../../src/core/instant.ts';
import { basic } from '../../../src/platform/authorisation/basic.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { newPlatformOptions } from './options.ts';
import type { NewPlatformSettings } from './options.ts';

// WRITE 1: say here what is a sensor and what is a variable, in the words of the product
/** New Platform. */
export const newPlatform = definePlatform<NewPlatformSettings>({
  name: 'new-platform',
  // WRITE 1: the name of the product, and the https address of the vendor's documentation of the API
  title: 'New Platform',
  docs: 'https://docs.invalid/',
  kinds: {
    // WRITE 2: the kinds of credentials it takes, each with a strategy of src/platform/authorisation
    'user-credentials': basic(),
  },
  options: newPlatformOptions,
  // WRITE 3: add the options that say where the data is, such as `options.database`
  place: ['connection.url'],
  // WRITE 1: mend each fact below, and name its source in a comment; the present values are the most careful ones
  facts: {
    bounds: { from: 'unknown', to: 'unknown' },
    resolution: MILLISECOND,
    order: 'none',
    page: { cap: 1000, more: 'full-page' },
    sameInstant: 'many',
    failsAs: 'status',
    maxWindow: DAY,
    minWindow: MILLISECOND,
    sensorsPerRead: 1,
    namesVariables: false,
    pace: { requestsPerSecond: 1, burst: 1, concurrency: 1 },
    lateness: MINUTE,
    overlap: 10 * MINUTE,
  },
  // Holds where no option decides on an identifier.
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  identify() {
    throw new Error('WRITE 5: ask the cheapest question that only this platform answers, then whether one may read');
  },
  sensors() {
    throw new Error('WRITE 5: list the sensors, page by page, by a loop of src/platform/paging.ts');
  },
  read() {
    throw new Error('WRITE 5: yield the samples of the selection with from <= at < to, page by page');
  },
});
