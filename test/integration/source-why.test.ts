import { expect, it } from 'vitest';
import { allPlatforms } from '../../adapters/index.ts';
import { HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { findSource } from '../../src/source/find-source.ts';
import { explainSource } from '../../src/source/why-facts.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { makeGround } from './commit-ground.ts';

// A source that is an hour behind. Its rows are written directly, so the part of each cause is known.

const databases = useDatabases();

it('splits the lag of a stored source, and the command says it', async () => {
  const { database, source, streamId } = await makeGround(databases);
  await database.run(`update source set start_at = now() - interval '1 day', settle_us = $2 where id = $1`, [
    source.sourceId,
    10 * SECOND,
  ]);
  await database.run('update work set well_at = now()');
  // Set anew before each look, because the lag grows while the test runs. The ten seconds put the parts, which are told in whole
  // minutes, half a minute away from other ones.
  const fallBehind = (): Promise<number> =>
    database.run(
      `update stream set covered = tstzmultirange(tstzrange(now() - interval '1 day', now() - interval '1 hour 10 s')),
         newest_at = now() - interval '3 hours 10 s' where id = $1`,
      [streamId],
    );
  await database.run(`insert into worker (id, host, pid, version) values (gen_random_uuid(), 'host', 1, 'test')`);
  await database.run(`insert into heartbeat (name, beat_at) values ('planner', now())`);
  const { now } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? { now: 0 };
  await partitionsOf(database).ensure('window_log', now - HOUR, now + HOUR);
  // The newest live window of the stream counts: neither an older one nor history.
  await database.run(
    `insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised,
       refused, late, waited_ms, http_ms, normalise_ms, store_ms)
     select $1, $2, lane, now(), now(), now() - age * interval '1 minute', 1, 1, 1, 0, 0, 0, 0, waited, http, 0, 0
     from (values ('live', 9, 1, 1), ('live', 5, 600000, 60000), ('history', 1, 7, 7)) as given (lane, age, waited, http)`,
    [streamId, source.sourceId],
  );

  const platforms = await allPlatforms();
  const parts = async (): Promise<readonly (readonly [string, number])[]> => {
    await fallBehind();
    const found = await findSource(database, { name: 'source' });
    const { causes } = await explainSource(database, platforms, found);
    return causes.map(({ cause, length }) => [cause, Math.round((length ?? 0) / MINUTE)] as const);
  };
  expect(await parts()).toEqual([
    ['platform', 120],
    ['unknown', 48],
    ['pace', 10],
    ['schedule', 1],
    ['http', 1],
  ]);

  await database.run('delete from worker');
  expect(await parts()).toEqual([
    ['platform', 120],
    ['bridge', 59],
    ['schedule', 1],
  ]);

  await fallBehind();
  const { code, stdout } = await databridgeHere(['source', 'why', 'source'], {
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
  });
  expect(stdout).toMatch(/^source is behind, 1h\S* behind, 59m\S* more than its schedule allows\.\n/);
  expect(stdout).toMatch(/59m\S*: no process of the bridge runs\n {2}try: start databridge up\n/);
  // Each command that shows more of the source.
  const more = ['show', 'newest', 'coverage', 'refusals'].map((name) => `source ${name} source`);
  const words = stdout.replaceAll(/\s+/g, ' ');
  for (const command of [...more, 'source requests']) expect(words).toContain(command);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(code).toBe(0);
});
