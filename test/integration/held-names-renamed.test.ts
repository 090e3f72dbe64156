import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { admitNames } from '../../src/ingest/new-names.ts';
import { growthOf, growthWarnings, strainedProjects, strainedUntold } from '../../src/ingest/name-growth.ts';
import { dropOldHeldNames } from '../../src/upkeep/housekeeping.ts';
import { heldNames, releaseNames } from '../../src/source/held-names.ts';
import { renameHeld, unrename } from '../../src/source/held-rename.ts';
import { projectRoom, setLocked, setQuota } from '../../src/source/project-room.ts';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { PATH, pushAs, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';
import { databridgeHere } from './command-line.ts';

// What clients, operators and the log are told of names that are new in a project.

const HALL = { organisation: 'default', code: 'hall' };
const DATE = '2026-11-20T08:15:30Z';

const databases = useDatabases();
let api: ApiUnderTest;
let hall: number;

beforeAll(async () => {
  api = await startApi(databases);
  hall = (await projectRoom(api.database, HALL)).id;
});

afterAll(async () => {
  await api.close();
});

const reading = (sensorId: string, value: number) => ({ sensorId, date: DATE, value });

beforeEach(async () => {
  await api.database.run('truncate reading, held_name, renamed_name, series, series_hour');
  await api.database.run(
    'update ml_project set series_made = 0, locked = false, series_quota = 100000, names_told_at = null',
  );
  await api.database.run('update hand_over set count = count + 1');
});

/** Waits until processes have forgotten the names that they remember. */
const soon = (look: () => Promise<void>): Promise<void> => vi.waitFor(look, { timeout: 10_000, interval: 50 });

describe('a client of a locked project', () => {
  it('is told of held names, has its other readings stored, and needs a release only once', async () => {
    await soon(async () => expect(await api.push([reading('pump-7', 1)])).toMatchObject({ status: 200 }));
    await setLocked(api.database, HALL, true, 'tester');
    const body = [reading('pump-7', 2), reading('Pump-7', 3), reading('press', 4)];
    const refused = [
      { index: 1, pointer: '/1/sensorId', reason: 'name-held-back' },
      { index: 2, pointer: '/2/sensorId', reason: 'name-held-back' },
    ];
    const tried = await pushAs(api.client, `${api.url}${PATH}?dryRun=true`, body);
    expect(tried).toMatchObject({ status: 200, json: { revised: 1, refusedCount: 2, refused } });
    expect(await heldNames(api.database, hall, { limit: 9 })).toEqual([]);
    expect(await api.push(body)).toMatchObject({ status: 200, json: { revised: 1, refusedCount: 2, refused } });
    expect(await heldNames(api.database, hall, { limit: 9 })).toMatchObject([
      { sensorId: 'Pump-7', refused: 1, near: [{ sensorId: 'pump-7' }] },
      { sensorId: 'press', refused: 1, near: [] },
    ]);
    expect(await api.push([reading('press', 4)])).toMatchObject({ status: 422 });
    await releaseNames(api.database, HALL, { sensorId: 'press' }, 'tester');
    expect(await api.push([reading('press', 4)])).toMatchObject({ status: 200, json: { accepted: 1 } });

    const { pushed, applications } = await renameHeld(
      api.database,
      HALL,
      { sensorId: 'Pump-7' },
      { sensorId: 'pump-7' },
      'tester',
    );
    expect({ pushed, applications }).toMatchObject({
      pushed: [{ from: { sensorId: 'Pump-7' }, to: { sensorId: 'pump-7' } }],
      applications: [api.client.applicationId],
    });
    await soon(async () => expect(await api.push([reading('Pump-7', 5)])).toMatchObject({ json: { revised: 1 } }));
    // Both names in one body are one series, so that one of two values for an instant is refused.
    expect(await api.push([reading('pump-7', 6), reading('Pump-7', 7)])).toMatchObject({
      json: { revised: 1, refused: [{ index: 0, reason: 'same-instant' }] },
    });
    expect((await readingsIn(api.database)).map((line) => line.split(' ')[0])).toEqual(['press', 'pump-7']);
    await unrename(api.database, HALL, { sensorId: 'Pump-7' }, 'tester');
    await soon(async () => expect(await api.push([reading('Pump-7', 5)])).toMatchObject({ status: 422 }));
  });

  it('is told of the quota, and a trial says the same', async () => {
    await setQuota(api.database, HALL, 1, 'tester');
    const body = [reading('a', 1), reading('b', 2)];
    for (const query of ['?dryRun=true', '']) {
      const answer = await pushAs(api.client, `${api.url}${PATH}${query}`, body);
      expect(answer).toMatchObject({ json: { accepted: 1, refused: [{ index: 1, reason: 'too-many-series' }] } });
    }
    expect(await projectRoom(api.database, HALL)).toMatchObject({ series: 1, quota: 1 });
  });
});

describe('an operator', () => {
  it('gets the lines for the file of a source, and commands on held names', async () => {
    const { database } = api;
    const row = await database.row<{ id: number }>(
      `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us)
       values ('north', $1, 'custom', 'none', '{}', 'epoch', 1e6, 0, 0) returning id`,
      [hall],
    );
    const sourceId = row?.id ?? 0;
    const bring = (names: readonly { sensorId: string; valueName: string; holder: string }[]) =>
      database.transaction((client) =>
        admitNames(client, { projectId: hall, owner: 'north', names, bringer: { sourceId } }),
      );
    const named = (sensorId: string, variable: string) => ({
      sensorId,
      valueName: variable.replaceAll(' ', '_'),
      holder: JSON.stringify([sensorId, variable]),
    });
    await bring([named('pump-7', 'flow_rate')]);
    await setLocked(database, HALL, true, 'tester');
    await bring([named('Pump-7', 'Flow rate')]);
    const as = { sensorId: 'pump-7', valueName: 'flow_rate' };
    const { files, pushed } = await renameHeld(database, HALL, { sensorId: 'Pump-7' }, as, 'tester');
    expect(pushed).toEqual([]);
    expect(files).toEqual([
      {
        source: 'north',
        yaml: 'sensors:\n  - id: "Pump-7"\n    as: "pump-7"\n    values:\n      "Flow rate": { as: "flow_rate" }',
      },
    ]);
    const shown = await databridgeHere(['project', 'names', 'hall'], {
      env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
    });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/Pump-7 +Flow_rate +north +pump-7 flow_rate/);
    // The name came from no window, so no point of it stands: it is forgotten a day later.
    expect(await dropOldHeldNames(database, 30)).toBe(0);
    await database.run(`update held_name set last_seen = now() - interval '25 hours'`);
    expect(await dropOldHeldNames(database, 30)).toBe(1);
    await database.run('delete from source');
  });
});

describe('the growth of a project', () => {
  const make = (from: number, to: number) =>
    api.database.transaction((client) =>
      admitNames(client, {
        projectId: hall,
        owner: '',
        names: Array.from({ length: to - from }, (_, index) => ({ sensorId: `s${from + index}`, valueName: 'v' })),
        bringer: { applicationId: api.client.applicationId },
      }),
    );
  const warned = async () =>
    (await strainedProjects(api.database)).flatMap(growthWarnings).map(({ message }) => message);

  it('is told where names come faster than before, once an hour', async () => {
    // All hours of a week: the test may run across a full hour.
    await api.database.run(
      `insert into series_hour select $1, date_trunc('hour', now(), 'UTC') - hours * interval '1 hour', 12 from generate_series(2, 169) as hours`,
      [hall],
    );
    await make(0, 110);
    expect(await warned()).toEqual([]);
    await api.database.run(`update series_hour set made = 121 where hour = (select max(hour) from series_hour)`);
    expect(await warned()).toEqual(['project hall got 121 new names in an hour, and 12 in a usual one']);
    expect((await strainedUntold(api.database)).map(({ code }) => code)).toEqual(['hall']);
    expect(await strainedUntold(api.database)).toEqual([]);
    await api.database.run(`update ml_project set names_told_at = now() - interval '1 hour'`);
    expect(await strainedUntold(api.database)).toHaveLength(1);
  });

  it('is told near the quota', async () => {
    await setQuota(api.database, HALL, 100, 'tester');
    await make(0, 79);
    expect(await warned()).toEqual([]);
    await make(79, 80);
    expect(await warned()).toEqual(['project hall has 80 series of at most 100']);
    await make(80, 150);
    expect(await warned()).toEqual(['project hall has 100 series of at most 100: new names are refused']);
    expect(await growthOf(api.database, hall)).toMatchObject({ series: 100, quota: 100, made: 100 });
  });
});
