import { DAY, MILLISECOND, MINUTE, SECOND } from '../../../src/core/instant.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { find, search, sensors } from './devices.ts';
import { apiKeyOfUser, login } from './login.ts';
import { thingsboardOptions } from './options.ts';
import { read } from './read.ts';
import { identify, recognise } from './user.ts';

/** ThingsBoard 2.x to 4.x, Community and Professional Edition. A sensor is a device, a variable one of its keys. */
export const thingsboard = definePlatform({
  name: 'thingsboard',
  title: 'ThingsBoard',
  docs: 'https://thingsboard.io/docs/reference/rest-api/',
  kinds: { 'user-credentials': login, custom: apiKeyOfUser },
  options: thingsboardOptions,
  // Another user may see other devices. Each device has a stream of its own, by its UUID.
  place: ['connection.url'],
  facts: {
    // 2.1 and 2.2 leave `startTs` itself out (thingsboard/thingsboard#1443); newer servers leave `endTs` out, older ones do not.
    bounds: { from: 'unknown', to: 'unknown' },
    // Times are whole milliseconds (openapi.json: startTs, endTs).
    resolution: MILLISECOND,
    // `orderBy: ASC`, per key.
    order: 'ascending',
    // The default of `options.pageLimit`. There is no flag for "more" (thingsboard/thingsboard#3505).
    page: { cap: 10_000, more: 'full-page' },
    // A point is stored by device, key and time, so a later one replaces it.
    sameInstant: 'one',
    // The path names one device, and a device that is gone is 404 (TelemetryController).
    failsAs: 'status',
    // No longest range is documented; the one reported to fail was a month of 14 keys (thingsboard/thingsboard#1580).
    maxWindow: 7 * DAY,
    minWindow: MILLISECOND,
    // The path of the history names one device.
    sensorsPerRead: 1,
    // Without `keys` the same path answers the latest values (TelemetryController).
    namesVariables: true,
    // Limits are off unless an administrator sets them; the documented example is 100 a second and 2,000 a minute
    // (https://thingsboard.io/docs/user-guide/api-limits). This stays far below it, for a server that has other users.
    pace: { requestsPerSecond: 5, burst: 10, concurrency: 2 },
    // Ours, not documented, because the time that devices and the rule engine take differs by plant.
    lateness: 10 * SECOND,
    overlap: 5 * MINUTE,
  },
  renamed({ sensor, variable }, before, after) {
    const id = before.sensorId === after.sensorId ? sensor.id : after.sensorId === 'id' ? sensor.group : sensor.name;
    return id === undefined ? undefined : { sensor: id, variable };
  },
  identify,
  recognise,
  sensors,
  find,
  search,
  read,
});
