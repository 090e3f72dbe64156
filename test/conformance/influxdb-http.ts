import { influxdb } from '../../adapters/platforms/influxdb/index.ts';
import type { Window } from '../../src/core/window.ts';
import type { FailedSensor, Authorisation, Http, Samples, Selection, Sensor } from '../../src/platform/contract.ts';
import { wellRead } from '../kit/well-read.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../../src/platform/connection/index.ts';
import type { Connection } from '../../src/platform/connection/index.ts';
import type { InfluxUser } from '../kit/influx-client.ts';

const open: Connection[] = [];

/** Gives every request a slot at once, because these tests are not about the pace. */
const freePacer = {
  slot: () => Promise.resolve({ inDoubt: true, release: () => undefined }),
  hold: () => Promise.resolve(),
};

/** The bridge's own connection to a server, as one of its users. */
export function connect(url: string, user: InfluxUser, meter = newMeter()): Http {
  const connection = openConnection(
    {
      baseUrl: url,
      credentials: { url, ...user },
      authorisation: influxdb.kinds['user-credentials'] as Authorisation,
      allowHosts: undefined,
    },
    {
      pacer: freePacer,
      tokens: memoryTokens(),
      account: memoryAccount(),
      now: () => Date.now() * 1000,
      userAgent: 'databridge-test',
    },
  );
  open.push(connection);
  return connection.http({ lane: 'live', signal: new AbortController().signal, meter });
}

/** For `afterAll`: closes every connection `connect` opened. */
export async function disconnect(): Promise<void> {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
}

/** A sample as one row: sensor, variable, instant, value. */
export type Row = readonly [sensor: string, variable: string, at: number, value: unknown];

export const optionsOf = (given: object = {}): unknown => influxdb.options.parse({ database: 'plant', ...given });

/** Reads a measurement; without `sensors` all of it. */
export const reading = (http: Http, given: object, group: string, window: Window, sensors?: readonly string[]) =>
  wellRead(influxdb.read(http, optionsOf(given), { group, sensors, variables: undefined } satisfies Selection, window));

/** All samples as rows, in the order in which they came. */
export async function rowsOf(samples: AsyncIterable<Samples | FailedSensor>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { sensor, variable, at, values } of wellRead(samples)) {
    if (at.length !== values.length) throw new Error('columns of different length');
    rows.push(...at.map((instant, index): Row => [sensor, variable, instant, values[index]]));
  }
  return rows;
}

export async function sensorsOf(http: Http, given: object = {}): Promise<Sensor[]> {
  const found: Sensor[] = [];
  for await (const sensor of influxdb.sensors(http, optionsOf(given))) found.push(sensor);
  return found;
}

export const identify = async (http: Http, given: object = {}) => await influxdb.identify(http, optionsOf(given));
