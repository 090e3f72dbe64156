import { DAY, HOUR, MILLISECOND, MINUTE } from '../../../src/core/instant.ts';
import { oauth2Password } from '../../../src/platform/authorisation/oauth2-client.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { skfObserverOptions } from './options.ts';
import type { SkfObserverSettings } from './options.ts';
import { identify, sensors } from './points.ts';
import { read } from './read.ts';

/**
 * The Phoenix API of SKF @ptitude Observer. A sensor is a measurement point, a variable a channel with its direction. Its facts
 * come from public clients of three authors, because no description of it is public.
 */
export const skfObserver = definePlatform<SkfObserverSettings>({
  name: 'skf-observer',
  title: 'SKF Observer',
  docs: 'https://pypi.org/project/skfobserver/',
  // Client id and secret are the name and the password of an API user (skfobserver client.py).
  kinds: { 'client-credentials': oauth2Password<SkfObserverSettings>({ tokenPath: '/token' }) },
  options: skfObserverOptions,
  place: ['connection.url'],
  facts: {
    // Not documented.
    bounds: { from: 'unknown', to: 'unknown' },
    // ISO times; clients send and get milliseconds.
    resolution: MILLISECOND,
    // Every request sends `descending=false`; the order without it is not documented.
    order: 'ascending',
    // Nothing pages, and `numReadings`, which cuts, is never sent. `options.answerLimit` is for a server that cuts all the same.
    page: { cap: Infinity, more: 'none' },
    // Ours: nothing excludes it.
    sameInstant: 'many',
    // The path names one point.
    failsAs: 'status',
    // Ours: an answer has no sign that rows are missing, so answers stay short.
    maxWindow: DAY,
    minWindow: MILLISECOND,
    sensorsPerRead: 1,
    namesVariables: false,
    // Plants leave 150 to 200 ms between two calls, one after the other, to spare the monitor service.
    pace: { requestsPerSecond: 5, burst: 5, concurrency: 1 },
    // Ours, not documented.
    lateness: MINUTE,
    overlap: HOUR,
  },
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  identify,
  sensors,
  read,
});
