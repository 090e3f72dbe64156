import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/instant.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { refreshFreshness } from '../../src/source/freshness.ts';
import { newestReadings } from '../../src/source/newest.ts';
import { listSources } from '../../src/source/report.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { makeGround } from './commit-ground.ts';

const databases = useDatabases();

it('shows the newest reading of each sensor, the silent ones first, and calls no source well before a poll succeeded', async () => {
  const { database, source, streamId } = await makeGround(databases);
  const { now = 0 } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? {};
  await partitionsOf(database).ensure('reading', now - 40 * DAY, now);
  await database.run(
    'update stream set sensors = $2, covered = tstzmultirange(tstzrange(now() - $3::interval, now())) where id = $1',
    [streamId, JSON.stringify(['mute', 'quiet', 'pump'].map((id) => ({ id }))), '1 day'],
  );
  const series = [
    ['pump', 'flow', 2 * DAY, MINUTE],
    ['pump', 'level', 3 * DAY],
    ['quiet', 'flow', 39 * DAY, 30 * DAY],
    ['unlisted', 'flow', HOUR],
  ] as const;
  for (const [sensor, variable, ...ages] of series) {
    const row = await database.row<{ id: number }>(
      `insert into series (project_id, sensor_id, value_name, owner) values ($1, $2, $3, 'source') returning id`,
      [source.projectId, `plant/${sensor}`, variable],
    );
    await database.run('insert into series_name (source_id, sensor_id, value_name, holder) values ($1, $2, $3, $4)', [
      source.sourceId,
      `plant/${sensor}`,
      variable,
      JSON.stringify([sensor, variable]),
    ]);
    await database.run(
      'insert into reading (series, at, value) select $1, at_instant(at), 1 from unnest($2::bigint[]) as at',
      [row?.id, ages.map((age) => now - age)],
    );
  }

  expect(
    (await newestReadings(database, { id: source.sourceId })).map(({ sensor, sensorId, series: count, newestAt }) => [
      sensor,
      sensorId,
      count,
      newestAt === null ? null : now - newestAt,
    ]),
  ).toEqual([
    ['mute', null, 0, null],
    ['quiet', 'plant/quiet', 1, 30 * DAY],
    ['unlisted', 'plant/unlisted', 1, HOUR],
    ['pump', 'plant/pump', 2, MINUTE],
  ]);

  // The coverage reaches up to now, but no poll has told that it succeeded.
  const condition = async (): Promise<string[]> => (await listSources(database)).map(({ condition }) => condition);
  expect(await condition()).toEqual(['starting']);
  await database.run('update work set well_at = now()');
  expect(await condition()).toEqual(['well']);

  // The silence of a sensor is believed after the platform was asked once more for its time, and has answered.
  for (let looks = 0; looks < 2; looks += 1) {
    await refreshFreshness(database, 10);
    await database.run(`update stream set look_again = '{}'`);
    await database.run(`update freshness set looked_at = now() - interval '1 hour'`);
  }
  const { code, stdout } = await databridgeHere(['source', 'newest', 'source', '--silent', '1d'], {
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
  });
  expect(stdout).toMatch(
    /^mute +never +– +– +yes +0\nquiet +2\S+ +30d +9d +no +1\n\n4 sensors, 1 silent by their own rhythm, 1 without any reading, 2 silent for 1d$/m,
  );
  expect(code).toBe(0);
});
