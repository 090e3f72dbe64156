import { DAY, MICROSECOND, MINUTE, SECOND } from '../../../src/core/instant.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { basic } from '../../../src/platform/authorisation/basic.ts';
import { sensors } from './discovery.ts';
import { identify } from './identify.ts';
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
  limits: {
    // No range is too long by itself. 7 days is the shard group of the default policy (SHOW RETENTION POLICIES: 168h),
    // so a window opens two shards at most.
    maxWindow: 7 * DAY,
    // It stores nanoseconds; the bridge keeps microseconds.
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
  sensors,
  read,
});
