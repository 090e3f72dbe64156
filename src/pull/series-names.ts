import { BridgeError } from '../core/errors.ts';
import type { GivenName } from '../core/mapping.ts';
import type { Database } from '../database/database.ts';
import type { OpenSource } from './open-source.ts';

/** So many names go into one statement: a first window may bring a hundred thousand. */
const MOST = 5_000;

/**
 * Makes sure that the names a source's mapping gave out are its variables' for all processes and for good. Of two
 * processes that gave one name to two variables the first one here keeps it; the mapping of the other is corrected.
 *
 * Throws `cancelled` where the source was changed or removed meanwhile: its names may mean something else now.
 */
export async function keepNames(database: Database, source: OpenSource): Promise<void> {
  const given = source.rules.unconfirmed();
  for (let begin = 0; begin < given.length; begin += MOST) {
    const names = given.slice(begin, begin + MOST);
    source.rules.confirm(await database.rows<Row>(KNOWN, [source.id, ...columnsOf(names)]));
  }
  const young = source.rules.unconfirmed();
  for (let begin = 0; begin < young.length; begin += MOST) {
    const names = young.slice(begin, begin + MOST);
    const held = await database.rows<Row>(HOLD, [source.id, ...columnsOf(names), source.revision]);
    if (held.length < names.length) {
      throw new BridgeError({ code: 'cancelled' }, 'the source was changed while it was read');
    }
    source.rules.confirm(held);
  }
}

type Row = GivenName & Record<string, unknown>;

const columnsOf = (names: readonly GivenName[]): string[][] => [
  names.map(({ sensorId }) => sensorId),
  names.map(({ valueName }) => valueName),
  names.map(({ holder }) => holder),
];

const GIVEN = 'unnest($2::text[], $3::text[], $4::text[]) as given (sensor_id, value_name, given_to)';

/** Most names are known already: a process that starts only has to look. */
const KNOWN = `
  select sensor_id as "sensorId", value_name as "valueName", holder
  from series_name join ${GIVEN} using (sensor_id, value_name) where source_id = $1`;

/** In order of names, so that two processes with the same ones never wait in a ring. */
const HOLD = `
  with owner as (select id from source where id = $1 and revision = $5 for share)
  insert into series_name as known (source_id, sensor_id, value_name, holder)
  select owner.id, sensor_id, value_name, given_to from ${GIVEN}, owner order by sensor_id, value_name
  on conflict (source_id, sensor_id, value_name) do update set holder = known.holder
  returning sensor_id as "sensorId", value_name as "valueName", holder`;
