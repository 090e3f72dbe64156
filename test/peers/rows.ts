import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { to as copyTo } from 'pg-copy-streams';
import type { Database } from '../../src/database/database.ts';
import type { Told, Visit } from './peer.ts';

/** The tables that an integrator would make: a row a sensor with a small number, a row a reading with a key. */
export async function makePlainTables(database: Database, sensors: readonly PlainSensor[]): Promise<void> {
  await database.run('create table plain_sensor (id integer primary key, measurement text, name text unique)');
  await database.run(
    `create table plain_reading (sensor integer, at timestamptz, value double precision, primary key (sensor, at))`,
  );
  await database.run('insert into plain_sensor select * from unnest($1::int[], $2::text[], $3::text[])', [
    sensors.map((_, index) => index + 1),
    sensors.map(({ measurement }) => measurement),
    sensors.map(({ name }) => name),
  ]);
}

export interface PlainSensor {
  readonly measurement: string;
  /** Its series key. */
  readonly name: string;
}

const PLAIN = 'select name, instant_of(at), value from plain_reading join plain_sensor on id = sensor';
const OF_THE_BRIDGE = 'select sensor_id, instant_of(at), value from reading join series on series.id = reading.series';

export const plainRows = (database: Database, visit: Visit): Promise<void> => visitRows(database, PLAIN, visit);
export const bridgeRows = (database: Database, visit: Visit): Promise<void> =>
  visitRows(database, OF_THE_BRIDGE, visit);

async function visitRows(database: Database, select: string, visit: Visit): Promise<void> {
  await database.transaction(async (client) => {
    const lines = createInterface({ input: client.query(copyTo(`copy (${select}) to stdout`)) });
    lines.on('line', (line) => {
      const [sensor = '', at, value] = line.split('\t');
      visit(sensor, Number(at), Number(value));
    });
    await once(lines, 'close');
  });
}

/** Whether each sensor has its last point; rows come in order. */
export async function plainDone(database: Database, lastAt: number): Promise<boolean> {
  const row = await database.row<{ left: number }>(
    `select count(*) as left from plain_sensor
     where not exists (select from plain_reading where sensor = id and at = at_instant($1))`,
    [lastAt],
  );
  return row?.left === 0;
}

/** The environment of a program that is no bridge. */
export const environmentOf = ({ platform, database, measurements, from, to, window }: Told): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  PLANT_URL: platform.url,
  PLANT_AUTHORIZATION: `Basic ${Buffer.from(`${platform.username}:${platform.password}`).toString('base64')}`,
  DATABASE_URL: database,
  MEASUREMENTS: measurements.join(),
  FROM_US: String(from),
  TO_US: to === undefined ? '' : String(to),
  WINDOW_US: String(window),
});
