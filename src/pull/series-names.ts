import { BridgeError } from '../core/errors.ts';
import type { GivenName } from '../core/mapping.ts';
import type { Database } from '../database/database.ts';
import type { OpenSource } from './open-source.ts';

/** At most this many names go into one statement, because a first window may bring a hundred thousand. */
const NAMES_PER_STATEMENT = 5_000;

/**
 * Stores the names that the mapping of a source gave to variables, so that they hold for all processes and for good. Where
 * two processes gave one name to two variables, the first to store it keeps it, and the mapping of the other is corrected.
 *
 * Throws `cancelled` where the source was changed or removed meanwhile, because its names may mean other variables now.
 */
export async function keepNames(database: Database, source: OpenSource): Promise<void> {
  const given = source.rules.unconfirmed();
  for (let begin = 0; begin < given.length; begin += NAMES_PER_STATEMENT) {
    const names = given.slice(begin, begin + NAMES_PER_STATEMENT);
    source.rules.confirm(await database.rows<Row>(KNOWN, [source.id, ...columnsOf(names)]));
  }
  const unstored = source.rules.unconfirmed();
  for (let begin = 0; begin < unstored.length; begin += NAMES_PER_STATEMENT) {
    const names = unstored.slice(begin, begin + NAMES_PER_STATEMENT);
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

/** A process that has just started finds most of its names stored already, so it looks before it writes. */
const KNOWN = `
  select sensor_id as "sensorId", value_name as "valueName", holder
  from series_name join ${GIVEN} using (sensor_id, value_name) where source_id = $1`;

/** In order of names, so that two processes with the same names cannot deadlock. */
const HOLD = `
  with owner as (select id from source where id = $1 and revision = $5 for share)
  insert into series_name as known (source_id, sensor_id, value_name, holder)
  select owner.id, sensor_id, value_name, given_to from ${GIVEN}, owner order by sensor_id, value_name
  on conflict (source_id, sensor_id, value_name) do update set holder = known.holder
  returning sensor_id as "sensorId", value_name as "valueName", holder`;
