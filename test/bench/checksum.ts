import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Database } from '../../src/database/database.ts';
import { WrongData } from './bench.ts';
import { FIELD, instantAt, valueAt } from './dataset.ts';
import type { Dataset } from './dataset.ts';

/** Throws `WrongData` unless the database holds the readings of the dataset, each exactly once, and nothing else. */
export async function assertStored(database: Database, dataset: Dataset): Promise<void> {
  const wanted = expectedChecksum(dataset);
  const found = await database.transaction(storedChecksum);
  const rows = (await database.row<{ count: number }>('select count(*) from reading'))?.count;
  const wantedRows = dataset.series.length * dataset.pointsPerSeries;
  if (rows !== wantedRows) throw new WrongData(`${rows} readings are stored instead of ${wantedRows}`);
  if (found !== wanted) throw new WrongData('the stored readings differ from those of the platform');
}

/** A line a reading: sensor, value name, instant, value. PostgreSQL and JavaScript write numbers in the same way. */
function expectedChecksum(dataset: Dataset): string {
  const hash = createHash('sha256');
  for (const series of dataset.series) {
    let text = '';
    for (let index = 0; index < dataset.pointsPerSeries; index += 1) {
      text += `${series.sensorId}\t${FIELD}\t${instantAt(dataset, index)}\t${valueAt(series, index)}\n`;
      if (text.length < 65_536) continue;
      hash.update(text);
      text = '';
    }
    hash.update(text);
  }
  return hash.digest('hex');
}

async function storedChecksum(client: PoolClient): Promise<string> {
  const hash = createHash('sha256');
  const stream = client.query(
    copyTo(`copy (select sensor_id, value_name, instant_of(at), value from reading join series on series.id = reading.series
      order by sensor_id, value_name, at) to stdout`),
  );
  stream.on('data', (bytes: Buffer) => hash.update(bytes));
  await once(stream, 'end');
  return hash.digest('hex');
}
