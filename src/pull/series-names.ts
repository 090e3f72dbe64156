import type { ClientBase } from 'pg';
import { BridgeError } from '../core/errors.ts';
import type { GivenName, SettledName } from '../core/mapping.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { admitNames, nameOfSeries } from '../ingest/new-names.ts';
import type { OpenSource } from './open-source.ts';

/** At most this many names go into one statement, because a first window may bring a hundred thousand. */
const NAMES_PER_STATEMENT = 5_000;

/**
 * Stores the names that the mapping of a source gave to variables, so that they hold for all processes and for good. Where
 * two processes gave one name to two variables, the first to store it keeps it, and the mapping of the other is corrected.
 * A name is also a series of the project, which belongs to the first source that gives it; the mapping of another source
 * refuses its points. So are those of a name that may not become a series (ingest/new-names.ts). A hand-over or release raises the revision of both sources, so the answers hold for as long as the source is open.
 *
 * Throws `cancelled` where the source was changed or removed meanwhile, because its names may mean other variables now.
 */
export async function keepNames(database: Database, source: OpenSource): Promise<void> {
  const given = source.rules.unconfirmed();
  for (let begin = 0; begin < given.length; begin += NAMES_PER_STATEMENT) {
    const names = given.slice(begin, begin + NAMES_PER_STATEMENT);
    const known = await database.memory.learn((client) =>
      rowsOf<Row>(client, KNOWN, [source.id, ...columnsOf(names), source.name]),
    );
    source.rules.confirm(known);
  }
  const unstored = source.rules.unconfirmed();
  for (let begin = 0; begin < unstored.length; begin += NAMES_PER_STATEMENT) {
    const names = unstored.slice(begin, begin + NAMES_PER_STATEMENT);
    const held = await database.memory.learn((client) => store(client, source, names));
    source.rules.confirm(held);
  }
}

type Row = SettledName & Record<string, unknown>;
type GivenRow = GivenName & Record<string, unknown>;

const columnsOf = (names: readonly GivenName[]): string[][] => [
  names.map(({ sensorId }) => sensorId),
  names.map(({ valueName }) => valueName),
  names.map(({ holder }) => holder),
];

const GIVEN = 'unnest($2::text[], $3::text[], $4::text[]) as given (sensor_id, value_name, given_to)';

/** A process that has just started finds most of its names stored already, so it looks before it writes. */
const KNOWN = `
  select sensor_id as "sensorId", value_name as "valueName", holder, series.owner = $5 as owned
  from series_name join ${GIVEN} using (sensor_id, value_name) join series using (sensor_id, value_name)
  where source_id = $1 and not stale and series.owner is not null
    and series.project_id = (select project_id from source where id = $1)`;

/** No operator changes or removes the source before the names are stored. */
const GIVER = 'select name, project_id as "projectId" from source where id = $1 and edition = $2 for share';

/** Writes in the order of names, so that two processes with the same names cannot deadlock. */
const HOLD = `
  insert into series_name as known (source_id, sensor_id, value_name, holder)
  select $1::int, sensor_id, value_name, given_to from ${GIVEN} order by sensor_id, value_name
  on conflict (source_id, sensor_id, value_name) do update set stale = false,
    holder = case when known.stale then excluded.holder else known.holder end
  returning sensor_id as "sensorId", value_name as "valueName", holder`;

/** Gives names their series and stores their holders. A name that gets no series has no holder that is stored. */
async function store(
  client: ClientBase,
  source: OpenSource,
  names: readonly GivenName[],
): Promise<readonly SettledName[]> {
  const [giver] = await rowsOf<{ name: string; projectId: number }>(client, GIVER, [source.id, source.edition]);
  if (giver === undefined) throw changedMeanwhile();
  const { owners, refused } = await admitNames(client, {
    projectId: giver.projectId,
    owner: giver.name,
    names,
    bringer: { sourceId: source.id },
  });
  const admitted = names.filter((name) => owners.has(nameOfSeries(name)));
  const held = admitted.length === 0 ? [] : await rowsOf<GivenRow>(client, HOLD, [source.id, ...columnsOf(admitted)]);
  return [
    ...held.map((row) => ({ ...row, owned: owners.get(nameOfSeries(row)) === giver.name })),
    ...names.flatMap((name) => {
      const reason = refused.get(nameOfSeries(name));
      return reason === undefined ? [] : [{ ...name, owned: false, reason }];
    }),
  ];
}

const changedMeanwhile = (): Error =>
  new BridgeError({ code: 'cancelled' }, 'the source was changed while it was read');
