import type { ClientBase } from 'pg';
import { configInvalid } from '../core/errors.ts';
import { rulesOf } from '../core/mapping.ts';
import type { RefusalReason } from '../core/reading.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import type { Sensor } from '../platform/contract.ts';
import type { Comparison, KnownPlatform } from './comparison.ts';

/** The name of a series. */
export interface SeriesTitle {
  readonly sensorId: string;
  readonly valueName: string;
}

/** A name that a change of the source takes away from a variable. */
export interface Rename {
  readonly from: SeriesTitle;
  /** The name that the variable gets instead, or why there is none: `not-known` before the platform is asked. */
  readonly to: SeriesTitle | 'not-known' | 'not-chosen' | RefusalReason;
  /** Whether a series of the old name is stored. */
  readonly stored: boolean;
}

/** Whether a rename leaves readings under the old name while the source goes on with the variable under another one. */
export const matters = ({ to, stored }: Rename): boolean => stored && to !== 'not-chosen';

/** A sensor as a stream stores it. */
type StoredSensor = Pick<Sensor, 'id' | 'name' | 'group'>;

/** The sensors of the present streams of a source. */
const storedSensors = async (database: Database, sourceId: number): Promise<StoredSensor[]> =>
  (
    await database.rows<{ sensor: StoredSensor }>(
      `select distinct jsonb_build_object('id', sensor -> 'id', 'name', sensor -> 'name', 'group', sensor -> 'group') as sensor
       from stream cross join jsonb_array_elements(sensors) as sensor where source_id = $1 and retired_at is null`,
      [sourceId],
    )
  ).map(({ sensor: { id, name, group } }) => ({ id, ...(name ? { name } : {}), ...(group ? { group } : {}) }));

/** The names a source has given to variables. */
const givenNames = (
  database: Database,
  { sourceId, name, projectId }: { sourceId: number; name: string; projectId: number },
) =>
  database.rows<{ sensorId: string; valueName: string; holder: string; stored: boolean }>(
    `select sensor_id as "sensorId", value_name as "valueName", holder, exists (select from series
       where project_id = $2 and series.sensor_id = series_name.sensor_id and series.value_name = series_name.value_name and (owner is null or owner = $3)) as stored
     from series_name
     where source_id = $1 order by 1, 2`,
    [sourceId, projectId, name],
  );

/**
 * The names that a change of the configuration takes away, and whether sensors get other identifiers on the platform's side:
 * then streams that list the old ones cannot go on. What only the platform could tell is `not-known`.
 */
export async function renamesOf(
  database: Database,
  source: SourceConfig,
  {
    stored,
    before,
    platform,
    projectId,
  }: Pick<Comparison, 'stored' | 'before'> & { readonly platform: KnownPlatform; readonly projectId: number },
): Promise<{ readonly renames: readonly Rename[]; readonly identifiers: 'same' | 'others' }> {
  if (stored === undefined || before?.optionsParsed !== true) return { renames: [], identifiers: 'same' };
  const sensors = await storedSensors(database, stored.id);
  const byId = new Map(sensors.map((sensor) => [sensor.id, sensor]));
  const renamed = (sensor: StoredSensor, variable: string) =>
    platform.renamed({ sensor, variable }, before.options, source.options);
  const rules = rulesOf(source);
  const assigned = assignedNames(source);
  const renames: Rename[] = [];
  for (const { holder, stored: isStored, ...from } of await givenNames(database, {
    sourceId: stored.id,
    name: source.name,
    projectId,
  })) {
    const [sensor, variable] = JSON.parse(holder) as [string, string];
    const name = renamed(byId.get(sensor) ?? { id: sensor }, variable);
    const to = name === undefined ? 'not-known' : (rules.series(name.sensor, name.variable) ?? 'not-chosen');
    const other = assigned.get(keyOf(from));
    if (typeof to === 'string') renames.push({ from, to, stored: isStored });
    else if (keyOf(to) !== keyOf(from))
      renames.push({ from, to: { sensorId: to.sensorId, valueName: to.valueName }, stored: isStored });
    else if (other !== undefined && other !== holder) renames.push({ from, to: 'name-collision', stored: isStored });
  }
  // Any variable will do: only the sensor that comes back is looked at.
  const others = sensors.some((sensor) => renamed(sensor, sensor.id)?.sensor !== sensor.id);
  return { renames, identifiers: others ? 'others' : 'same' };
}

/** Names of series that a changed source will give, as far as they are known before the platform is asked. */
export const namesToCome = (source: SourceConfig, renames: readonly Rename[]): SeriesTitle[] => [
  ...[...assignedNames(source).keys()].map(titleFrom),
  ...renames.flatMap(({ to }) => (typeof to === 'string' ? [] : [to])),
];

/** Names that the operator assigns to a variable, with their holder as `series_name` stores it. */
function assignedNames({ sensors }: SourceConfig): Map<string, string> {
  const assigned = new Map<string, string>();
  for (const { id, as, values } of sensors === 'all' ? [] : sensors) {
    for (const [variable, { as: valueName }] of Object.entries(values ?? {})) {
      if (valueName === undefined) continue;
      assigned.set(keyOf({ sensorId: as ?? id, valueName }), JSON.stringify([id, variable]));
    }
  }
  return assigned;
}

const keyOf = ({ sensorId, valueName }: SeriesTitle): string => `${sensorId}\n${valueName}`;

function titleFrom(key: string): SeriesTitle {
  const [sensorId = '', valueName = ''] = key.split('\n');
  return { sensorId, valueName };
}

/**
 * Lets the names of a source be given anew after a change. Names that a rename took away are forgotten; all are where the
 * coverage begins anew.
 */
export async function forgetNames(
  client: ClientBase,
  sourceId: number,
  given: { readonly all: boolean; readonly renames: readonly Rename[] },
): Promise<void> {
  await client.query(
    `delete from series_name where source_id = $1
       and ($2 or (sensor_id, value_name) in (select * from unnest($3::text[], $4::text[])))`,
    [
      sourceId,
      given.all,
      given.renames.map(({ from }) => from.sensorId),
      given.renames.map(({ from }) => from.valueName),
    ],
  );
  await client.query('update series_name set stale = true where source_id = $1', [sourceId]);
}

/** The names under which readings stay behind. */
export const titlesLost = (renames: readonly Rename[]): SeriesTitle[] =>
  renames.filter(matters).map(({ from }) => from);

/**
 * The streams that give these names look for late data in the time to come only: points of before would be stored once more under
 * other names, or over the readings of another owner. To be called while the source still has the names.
 */
export async function looksFromNow(
  client: ClientBase,
  sourceId: number,
  titles: readonly SeriesTitle[],
): Promise<void> {
  if (titles.length === 0) return;
  await client.query(
    `update stream set looks_from = now(), look_again = '{}'
     where source_id = $1 and retired_at is null and (selection -> 'sensors' is null or selection -> 'sensors' ?| array(
       select holder::jsonb ->> 0 from series_name where source_id = $1
         and (sensor_id, value_name) in (select * from unnest($2::text[], $3::text[]))))`,
    [sourceId, titles.map(({ sensorId }) => sensorId), titles.map(({ valueName }) => valueName)],
  );
}

const SHOWN = 20;

/** Throws `config-invalid` where a change renames series that have readings, unless the operator `allowed` that. */
export function refuseRenames(
  { renames: all, ...source }: SourceName & { readonly renames: readonly Rename[] },
  allowed: boolean,
): void {
  const renames = all.filter(matters);
  if (renames.length === 0 || allowed) return;
  const listed = renames.slice(0, SHOWN).map((rename) => `\n  ${renameInWords(rename)}`);
  const more = renames.length > SHOWN ? `\n  and ${renames.length - SHOWN} more; --dry-run lists all` : '';
  throw configInvalid(
    `source ${titleOf(source)} would get other names for ${renames.length} series with readings:${listed.join('')}${more}`,
    'keep the names by sensors[].as and values[].as, or add --rename: readings so far stay under the old names, new ones and those of the last schedule.overlap get the new names, and late data of before now is no longer looked for',
    'sensors',
  );
}

/** `sensorId valueName → sensorId valueName`, or why there is no new name. */
export function renameInWords({ from, to }: Rename): string {
  const after =
    typeof to !== 'string'
      ? `${to.sensorId} ${to.valueName}`
      : to === 'not-known'
        ? '(another name, which only the platform can tell)'
        : to === 'not-chosen'
          ? '(not read any more)'
          : `(no name: ${to})`;
  return `${from.sensorId} ${from.valueName} → ${after}`;
}
