import type { ClientBase } from 'pg';
import { configInvalid } from '../core/errors.ts';
import { rulesOf } from '../core/mapping.ts';
import type { RefusalReason } from '../core/reading.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { nameOfSeries } from '../ingest/new-names.ts';
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

/** The sensors of the streams of a source, each as its newest stream has it, and whether a present stream lists it. */
const storedSensors = async (
  database: Database,
  sourceId: number,
): Promise<{ readonly sensor: StoredSensor; readonly isPresent: boolean }[]> =>
  (
    await database.rows<{ id: string; name: string | null; group: string | null; isPresent: boolean }>(
      `select distinct on (1) sensor ->> 'id' as id, sensor ->> 'name' as name, sensor ->> 'group' as "group",
         retired_at is null as "isPresent"
       from stream cross join jsonb_array_elements(sensors) as sensor where source_id = $1
       order by 1, retired_at desc nulls first, stream.id desc`,
      [sourceId],
    )
  ).map(({ id, name, group, isPresent }) => ({
    sensor: { id, ...(name ? { name } : {}), ...(group ? { group } : {}) },
    isPresent,
  }));

/** A name that a source has given. `holder`: its variable, as `series_name` stores it. */
type ComparedName = SeriesTitle & { readonly holder: string };

/** The names a source has given to variables, also those that were not given again since a change. */
const givenNames = (
  database: Database,
  { sourceId, name, projectId }: { sourceId: number; name: string; projectId: number },
) =>
  database.rows<ComparedName & { readonly stored: boolean }>(
    `select sensor_id as "sensorId", value_name as "valueName", holder, exists (select from series
       where project_id = $2 and series.sensor_id = series_name.sensor_id and series.value_name = series_name.value_name and (owner is null or owner = $3)) as stored
     from series_name
     where source_id = $1 order by 1, 2`,
    [sourceId, projectId, name],
  );

/**
 * The names that a change of the configuration takes away, and whether sensors get other identifiers on the platform's side:
 * then streams that list the old ones cannot go on. What only the platform could tell is `not-known`.
 *
 * Another place may have other sensors under the same identifiers. They are compared all the same, because readers of a
 * series would find it at its end, or with the readings of another sensor.
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
): Promise<Compared> {
  if (stored === undefined) return NOTHING_COMPARED;
  const isOtherPlatform = stored.platform !== source.platform;
  if (before?.optionsParsed !== true && !isOtherPlatform) return NOTHING_COMPARED;
  const sensors = await storedSensors(database, stored.id);
  const byId = new Map(sensors.map(({ sensor }) => [sensor.id, sensor]));
  // Another platform has identifiers of its own, and its options say nothing about those of the one before.
  const renamed = (sensor: StoredSensor, variable: string) =>
    isOtherPlatform ? undefined : platform.renamed({ sensor, variable }, before?.options, source.options);
  const rules = rulesOf(source);
  const assigned = assignedNames(source);
  const renames: Rename[] = [];
  const names = await givenNames(database, { sourceId: stored.id, name: source.name, projectId });
  for (const { holder, stored: isStored, ...from } of names) {
    const [sensor, variable] = JSON.parse(holder) as [string, string];
    const name = renamed(byId.get(sensor) ?? { id: sensor }, variable);
    const to = name === undefined ? 'not-known' : (rules.series(name.sensor, name.variable) ?? 'not-chosen');
    const other = assigned.get(nameOfSeries(from));
    // The operator gives the name to a variable of the other platform, so the series goes on.
    if (isOtherPlatform && other !== undefined) continue;
    if (typeof to === 'string') renames.push({ from, to, stored: isStored });
    else if (nameOfSeries(to) !== nameOfSeries(from))
      renames.push({ from, to: { sensorId: to.sensorId, valueName: to.valueName }, stored: isStored });
    else if (other !== undefined && other !== holder) renames.push({ from, to: 'name-collision', stored: isStored });
  }
  // Any variable will do: only the sensor that comes back is looked at.
  const others = sensors.some(({ sensor, isPresent }) => isPresent && renamed(sensor, sensor.id)?.sensor !== sensor.id);
  return { renames, identifiers: others ? 'others' : 'same', names };
}

/** What a change of the configuration does to the names of a source. */
export interface Compared {
  readonly renames: readonly Rename[];
  readonly identifiers: 'same' | 'others';
  /** The names that were compared; undefined: the change is such that none had to be. */
  readonly names: readonly ComparedName[] | undefined;
}

export const NOTHING_COMPARED: Compared = { renames: [], identifiers: 'same', names: undefined };

/**
 * Whether the source gave a name since its names were compared: the change would leave that name standing, and the next one take it for a
 * rename. To be asked while the row of the source is locked, because no process gives a name then.
 */
export async function gaveOthers(client: ClientBase, sourceId: number, names: Compared['names']): Promise<boolean> {
  if (names === undefined) return false;
  const { rowCount } = await client.query(
    `select from series_name where source_id = $1
       and (sensor_id, value_name, holder) not in (select * from unnest($2::text[], $3::text[], $4::text[])) limit 1`,
    [
      sourceId,
      names.map(({ sensorId }) => sensorId),
      names.map(({ valueName }) => valueName),
      names.map(({ holder }) => holder),
    ],
  );
  return rowCount !== 0;
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
      assigned.set(nameOfSeries({ sensorId: as ?? id, valueName }), JSON.stringify([id, variable]));
    }
  }
  return assigned;
}

function titleFrom(key: string): SeriesTitle {
  const [sensorId = '', valueName = ''] = key.split('\n');
  return { sensorId, valueName };
}

/**
 * Lets the names of a source be given anew after a change. Names that a rename took away are forgotten. The others stay until
 * they are given again, also where the coverage begins anew: the next change is compared with them.
 */
export async function forgetNames(client: ClientBase, sourceId: number, renames: readonly Rename[]): Promise<void> {
  await client.query(
    `delete from series_name where source_id = $1
       and (sensor_id, value_name) in (select * from unnest($2::text[], $3::text[]))`,
    [sourceId, renames.map(({ from }) => from.sensorId), renames.map(({ from }) => from.valueName)],
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
