import { DAY, MINUTE, SECOND } from '../../../src/core/instant.ts';
import { oauth2Client } from '../../../src/platform/authorisation/oauth2-client.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { everactiveOptions } from './options.ts';
import type { EveractiveSettings } from './options.ts';
import { read } from './read.ts';
import { find, identify, sensors } from './sensors.ts';

/** The Data Services API of Everactive. A sensor is an Eversensor, a variable one of the measured values in its readings. */
export const everactive = definePlatform<EveractiveSettings>({
  name: 'everactive',
  title: 'Everactive',
  docs: 'https://docs.api.everactive.com/reference/data-services-api-overview',
  kinds: {
    // Form, id and secret in the body, no refresh token (everactive-cli services/everactiveapi.go).
    'client-credentials': oauth2Client<EveractiveSettings>({
      clientAuthentication: 'post',
      tokenPath: '/auth/token',
      scope: (_credentials, { scope }) => scope,
    }),
  },
  options: everactiveOptions,
  // MAC addresses are unique in the world.
  place: ['connection.url'],
  facts: {
    // Not documented.
    bounds: { from: 'unknown', to: 'unknown' },
    // `start-time`, `end-time` and `timestamp` are whole seconds since 1970.
    resolution: SECOND,
    // All recorded answers are newest first (everactive-cli tests/fixtures.go).
    order: 'descending',
    // One answer holds the whole window.
    page: { cap: Infinity, more: 'none' },
    // A reading that came through two gateways is stored, and may be answered, twice (create_tables.sql of the sample client).
    sameInstant: 'many',
    // The path names one sensor.
    failsAs: 'status',
    // 24 hours a call (everactive-cli cmd/data.go), less the seconds that the question may be longer.
    maxWindow: DAY - 3 * SECOND,
    minWindow: SECOND,
    sensorsPerRead: 1,
    namesVariables: false,
    // There is a limit without a published number; the vendor's own client sleeps a second between two days (cmd/dump.go).
    pace: { requestsPerSecond: 1, burst: 5, concurrency: 2 },
    // Ours: sensors report about every two minutes, through a gateway.
    lateness: MINUTE,
    // The vendor's own client reads the last ten minutes again (cmd/stream.go).
    overlap: 10 * MINUTE,
  },
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  identify,
  sensors,
  find,
  read,
});
