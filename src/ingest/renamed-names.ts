import type { FullName } from '../core/near-names.ts';
import type { Database } from '../database/database.ts';
import { nameOfSeries } from './new-names.ts';

/** A project has at most this many names that are pushed for series of other names, because each process keeps them in memory. */
export const MOST_RENAMED = 10_000;

/** The names (`nameOfSeries`) that are pushed to a project for series of other names, each with the name of that series. */
export async function renamedNames(database: Database, projectId: number): Promise<ReadonlyMap<string, FullName>> {
  const rows = await database.rows<{ sensorId: string; valueName: string; toSensorId: string; toValueName: string }>(
    `select sensor_id as "sensorId", value_name as "valueName", to_sensor_id as "toSensorId", to_value_name as "toValueName"
     from renamed_name where project_id = $1 limit ${MOST_RENAMED}`,
    [projectId],
  );
  return new Map(
    rows.map(({ toSensorId, toValueName, ...name }) => [
      nameOfSeries(name),
      { sensorId: toSensorId, valueName: toValueName },
    ]),
  );
}
