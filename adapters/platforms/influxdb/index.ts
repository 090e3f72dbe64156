import { DAY, MICROSECOND, MINUTE, SECOND } from '../../../src/core/instant.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { basic } from '../../../src/platform/authorisation/basic.ts';
import { sensors } from './discovery.ts';
import { identify, recognise } from './identify.ts';
import { renamed } from './naming.ts';
import { influxOptions } from './options.ts';
import { read } from './read.ts';

/** InfluxDB 1.x, read with InfluxQL. A sensor is a series (measurement and tags), a variable one of its fields. */
export const influxdb = definePlatform({
  name: 'influxdb',
  title: 'InfluxDB 1.x',
  docs: 'https://docs.influxdata.com/influxdb/v1/tools/api/#query-http-endpoint',
  kinds: { 'user-credentials': basic() },
  options: influxOptions,
  place: ['connection.url', 'options.database', 'options.retentionPolicy'],
  facts: {
    // Conditions of ours: `time >= … AND time < …`, with both ends as InfluxQL compares them (query.ts).
    bounds: { from: 'inclusive', to: 'exclusive' },
    // It stores nanoseconds, of which the bridge keeps and asks microseconds.
    resolution: MICROSECOND,
    // ORDER BY time ASC in each series, in every chunk of it.
    order: 'ascending',
    // A chunked answer goes on until it is complete; `max-row-limit` cuts only an answer in one piece (answer.ts).
    page: { cap: Infinity, more: 'none' },
    // A point with the series and time of another one replaces it
    // (https://docs.influxdata.com/influxdb/v1/troubleshooting/frequently-asked-questions/#how-does-influxdb-handle-duplicate-points).
    sameInstant: 'one',
    // The errors of a statement stand in an answer with status 200; a series that is gone has no points and no error.
    failsAs: 'inside-200',
    // No range is too long by itself. 7 days is the shard group of the default policy (SHOW RETENTION POLICIES: 168h),
    // so a window opens two shards at most.
    maxWindow: 7 * DAY,
    minWindow: MICROSECOND,
    // SELECT … GROUP BY * reads a measurement with all its series in one request.
    sensorsPerRead: Infinity,
    // SELECT * brings every field, also one that appeared a moment ago.
    namesVariables: false,
    // Unlimited unless the operator sets max-concurrent-queries (etc/config.sample.toml of 1.x: 0); this leaves room
    // for dashboards.
    pace: { requestsPerSecond: 5, burst: 5, concurrency: 2 },
    // A point can be read as soon as it is written, but Telegraf writes every 10 s (flush_interval of its sample
    // configuration) and keeps points for later while the server is away.
    lateness: 30 * SECOND,
    overlap: 10 * MINUTE,
  },
  renamed,
  identify,
  recognise,
  sensors,
  read,
});
