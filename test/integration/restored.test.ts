import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { targetsOf } from '../../src/api/targets.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { judgePushed } from '../../src/ingest/pushed-readings.ts';
import { intakeOf } from '../../src/ingest/pushed-intake.ts';
import { commitsOf, commitWindow } from '../../src/pull/commit.ts';
import { useDatabases } from '../kit/databases.ts';
import { backUp } from '../kit/restore.ts';
import { batchOf, claimAll, columnOf, configurationOf, storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A backup is restored under running processes. The numbers that they remember belong to other sensors there.

const databases = useDatabases();

/** After this, numbers that a process was given since the backup belong to other sensors. */
const giveNumbersToStrangers = `
  insert into series (project_id, sensor_id, value_name)
  select (select min(id) from ml_project), 'stranger ' || number, 'value' from generate_series(1, 20) as number`;

const STRANGERS = `select count(*)::int as readings from reading join series on series.id = series where sensor_id like 'stranger%'`;

/** The state is of an instant at which the only process that polls had a poll under way. */
const WHILE_IT_POLLED = `update work set claimed_by = (select id from worker where polls), sent_at = null where kind = 'poll'`;

/** The pool finds out that its connections are gone when it uses them. */
async function settled<T>(work: () => Promise<T>): Promise<T> {
  return await eventually('an answer of the restored database', () => work().catch(() => false as const));
}

/** All stored readings as `sensor at value`. */
const stored = async (database: Database): Promise<string[]> =>
  (
    await settled(() =>
      database.rows<{ line: string }>(
        `select concat_ws(' ', sensor_id, instant_of(at), value) as line from reading join series on series.id = series order by 1`,
      ),
    )
  ).map(({ line }) => line);

describe('one process', () => {
  interface Ground {
    readonly database: Database;
    readonly source: StoredSource;
    readonly streamId: number;
    /** Commits a window with a reading of each sensor, by the same process each time. */
    commit(at: number, sensors: readonly string[], many?: number): Promise<unknown>;
  }

  async function ground(): Promise<Ground> {
    const database = await databases.create();
    const source = await storeSource(database);
    const streamId = await storeStream(database, source);
    const workerId = randomUUID();
    await claimAll(database, workerId);
    const parts = {
      database,
      partitions: partitionsOf(database),
      prepareReadings: readingPreparer(database),
      commits: commitsOf(database),
    };
    return {
      database,
      source,
      streamId,
      commit(at, sensors, many = 1) {
        const instants = Array.from({ length: many }, (_, index) => at + index);
        return commitWindow(parts, {
          source: configurationOf(source),
          stream: { id: streamId, key: 'stream', covered: [], looksNoted: 0 },
          workerId,
          process: database.memory.stamp().process,
          lane: 'live',
          window: { from: at, to: at + SECOND },
          looks: [],
          settledTo: 0,
          learned: { length: SECOND },
          backfills: undefined,
          askedAt: Date.now() * 1000,
          meter: { requests: 1, bytesIn: 1, bytesOut: 1, waitedMs: 0, httpMs: 0 },
          normaliseMs: 0,
          batch: batchOf(sensors.map((sensor) => columnOf(sensor, { at: instants, value: instants.map(() => 7) }))),
        });
      },
    };
  }

  it.each([1, 3_000])(
    'stores a window of %i readings under the numbers of the restored database, or not at all',
    async (many) => {
      const { database, commit } = await ground();
      await commit(0, ['a']);
      const backup = await backUp(database.url, databases.copy);
      await settled(() => commit(SECOND, ['a', 'b']));
      await backup.restore((client) => client.query(giveNumbersToStrangers));
      await stored(database);
      await expect(commit(2 * SECOND, ['a', 'b'], many)).rejects.toMatchObject({ code: 'cancelled' });
      expect(await stored(database)).toEqual(['a 0 7']);
      expect(await database.row('select instants_of(covered) as covered from stream')).toEqual({
        covered: [[0, SECOND]],
      });
      await commit(2 * SECOND, ['a', 'b'], many);
      const expected = ['a', 'b'].flatMap((sensor) =>
        Array.from({ length: many }, (_, index) => `${sensor} ${2 * SECOND + index} 7`),
      );
      expect(await stored(database)).toEqual(['a 0 7', ...expected].sort());
    },
  );

  it('goes on at once where it had learned nothing since the backup', async () => {
    const { database, commit } = await ground();
    await commit(0, ['a']);
    const backup = await backUp(database.url, databases.copy);
    await settled(() => commit(SECOND, ['a']));
    await backup.restore((client) => client.query(giveNumbersToStrangers));
    await stored(database);
    await commit(2 * SECOND, ['a']);
    expect(await stored(database)).toEqual(['a 0 7', `a ${2 * SECOND} 7`]);
  });

  it('makes the partitions anew that the backup does not hold', async () => {
    const { database, commit } = await ground();
    const backup = await backUp(database.url, databases.copy);
    await settled(() => commit(0, ['a']));
    await backup.restore();
    await stored(database);
    await expect(commit(0, ['a'])).rejects.toMatchObject({ code: 'cancelled' });
    await commit(0, ['a']);
    expect(await stored(database)).toEqual(['a 0 7']);
  });

  it('covers no stream that has only the number of the one it read, and none of another configuration', async () => {
    const { database, commit } = await ground();
    await commit(0, ['a']);
    await database.run(`update stream set key = 'other'`);
    await expect(commit(SECOND, ['a'])).rejects.toMatchObject({ code: 'cancelled' });
    await database.run(`update stream set key = 'stream'`);
    // Another history of the source: the revision is the same, and the configuration is another one.
    await database.run('update source set revision = 2');
    await database.run('update source set revision = 1');
    await expect(commit(SECOND, ['a'])).rejects.toMatchObject({ code: 'cancelled' });
    expect(await stored(database)).toEqual(['a 0 7']);
  });

  it.each([1, 600])('stores a push of %i readings under the numbers of the restored database', async (many) => {
    const database = await databases.create();
    const { projectId } = await storeSource(database);
    const intake = intakeOf({
      database,
      prepareReadings: readingPreparer(database),
      waitMs: 60_000,
      now: () => Date.now() * 1000,
    });
    const push = (sensors: readonly string[], second: number, length = 1): Promise<unknown> =>
      intake.push(
        'application',
        projectId,
        judgePushed(
          sensors.flatMap((sensorId) =>
            Array.from({ length }, (_, index) => ({
              sensorId,
              date: new Date((second + index) * 1000).toISOString(),
              value: 7,
            })),
          ),
          { now: Date.now() * 1000 },
        ),
      );
    await push(['a'], 0);
    const backup = await backUp(database.url, databases.copy);
    await settled(() => push(['a', 'b'], 1));
    await backup.restore((client) => client.query(giveNumbersToStrangers));
    await stored(database);
    expect(await push(['a', 'b'], 10, many)).toEqual({ accepted: 2 * many, duplicates: 0, revised: 0 });
    const expected = ['a', 'b'].flatMap((sensor) =>
      Array.from({ length: many }, (_, index) => `${sensor} ${(10 + index) * SECOND} 7`),
    );
    expect(await stored(database)).toEqual(['a 0 7', ...expected].sort());
  });

  it('looks for a project again', async () => {
    const database = await databases.create();
    const targets = targetsOf(database);
    const backup = await backUp(database.url, databases.copy);
    const add = (code: string): string =>
      `insert into ml_project (organisation_id, code, name) values ('default', '${code}', 'x')`;
    await settled(() => database.run(add('hall')));
    expect(await targets.project('default', 'hall')).toBe(1);
    await backup.restore((client) => client.query(add('stranger')));
    await stored(database);
    await database.memory.review();
    expect(await targets.project('default', 'hall')).toBeUndefined();
  });
});

describe('a worker', () => {
  let rig: Rig | undefined;
  let plant: Plant | undefined;
  afterEach(async () => {
    await rig?.close();
    await plant?.stop();
  });

  it('goes on after a restore, and every reading is the one of the plant', async () => {
    const few = livingPlant([device(1), device(2)], 1);
    const many = { ...few, devices: [1, 2, 3, 4].map((number) => device(number)) };
    [rig, plant] = await Promise.all([startRig(databases), startPlant({ truth: few })]);
    const { bridge, client } = rig;
    const schedule = { every: '500ms', start: '1h', settle: '1s', overlap: '0s' };
    await rig.apply(thingsboard('hall-3', plant.url, { schedule }));
    await rig.covered('hall-3', Date.now());
    await client.end();
    const url = bridge.settings['DATABASE_URL'] as string;
    const backup = await backUp(url, databases.copy);

    const covered = async (streams: number): Promise<void> => {
      const untilMs = Date.now();
      const { client: own, close } = await bridge.database();
      await eventually('everything is covered', async () => {
        const { rows } = await own.query<{ key: string; done: boolean }>(
          `select key, stream.covered @> tstzrange(start_at, at_instant($1)) as done from stream join source on source.id = source_id`,
          [Math.round(untilMs * 1000)],
        );
        return (rows.length === streams && rows.every(({ done }) => done)) || new Waiting(rows);
      });
      await close();
    };
    await plant.replace({ truth: many });
    await settled(async () => await bridge.succeed('source', 'poll', 'hall-3'));
    await covered(4);
    await backup.restore(async (old) => {
      await old.query(giveNumbersToStrangers);
      await old.query(WHILE_IT_POLLED);
    });
    await settled(async () => await bridge.succeed('source', 'poll', 'hall-3'));
    await covered(4);

    const { client: own, close } = await bridge.database();
    const { rows } = await own.query<{ start: string }>('select instant_of(start_at) as start from source');
    const toMs = Date.now() - 3_000;
    await covered(4);
    const fromMs = Number(rows[0]?.start) / 1000;
    expect(await differences(own, many, { fromMs, toMs })).toEqual(NONE);
    expect((await own.query(STRANGERS)).rows).toEqual([{ readings: 0 }]);
    await close();
    expect(rig.daemon.output()).toMatch(/replaced by an older state/);
  });
});
