import { contractBroken, unsupported } from '../../../src/core/errors.ts';
import { fromMillis } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { ask } from './ask.ts';
import { checkPolicy, textRows } from './discovery.ts';
import type { InfluxOptions } from './options.ts';
import { showMeasurements, showRetentionPolicies } from './query.ts';

/** Asks `/ping`, which needs no user and names the version. */
export async function recognise(http: Http): Promise<boolean> {
  const { headers } = await http.get<unknown>('/ping', { responseType: 'text', expect: [404] });
  return /^v?1\./.test(String(headers['x-influxdb-version'] ?? ''));
}

/**
 * Asks `/ping`, which needs no user and names the version. Then asks a question that needs the user (401), READ on the
 * database (403), the database and its retention policy; each has a remedy of its own where it is missing.
 */
export async function identify(http: Http, options: InfluxOptions): Promise<{ product: string; clock?: Instant }> {
  const { headers, data } = await http.get<unknown>('/ping', { responseType: 'text', expect: [404] });
  const version = headers['x-influxdb-version'] as unknown;
  if (typeof version !== 'string') {
    const message = 'this is not InfluxDB 1.x: /ping does not name a version of it';
    throw contractBroken(message, String(data).slice(0, 4_000));
  }
  // Debian marks its build 1.6.7~rc0, Enterprise 1.9.6-c1.9.6; 2.x has the same header with a "v".
  const number = /^v?(\d+)(?:\.\d+)*/.exec(version);
  if (number?.[1] !== '1') {
    const remedy =
      'name the platform that it is: this one is for InfluxDB 1.x, and versions 2 and 3 answer these requests differently';
    throw unsupported(`this is not InfluxDB 1.x: it calls itself ${version}`, remedy);
  }
  const policies: string[][] = [];
  for await (const block of await ask(http, options, [
    showRetentionPolicies(options),
    `${showMeasurements(options)} LIMIT 1`,
  ])) {
    if (block.statement === 0) policies.push(...textRows(block));
  }
  checkPolicy(options, policies);
  const at = Date.parse(String(headers['date']));
  return { product: `InfluxDB ${number[0]}`, ...(Number.isNaN(at) ? {} : { clock: fromMillis(at) }) };
}
