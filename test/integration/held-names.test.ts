import { beforeEach, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/access/applications.ts';
import { SECOND } from '../../src/core/instant.ts';
import { rulesOf } from '../../src/core/mapping.ts';
import type { SourceConfig } from '../../src/core/source/source.ts';
import type { Database } from '../../src/database/database.ts';
import { MOST_HELD_NAMES, admitNames } from '../../src/ingest/new-names.ts';
import { pushedOwnershipOf } from '../../src/ingest/pushed-ownership.ts';
import { heldNames, releaseNames, resembling } from '../../src/source/held-names.ts';
import { namesOnTrial } from '../../src/source/names-on-trial.ts';
import { newNamesInWords } from '../../src/source/near-series.ts';
import { projectRoom, setQuota } from '../../src/source/project-room.ts';
import { useDatabases } from '../kit/databases.ts';
import { columnOf } from '../kit/stored-source.ts';
import { FROM, PROJECT, heldGround } from './held-ground.ts';
import type { HeldGround } from './held-ground.ts';

const databases = useDatabases();
let database: Database;
let stored: HeldGround['stored'];
let opened: HeldGround['opened'];
let read: HeldGround['read'];
let lock: HeldGround['lock'];
let listed: HeldGround['listed'];
let refusals: HeldGround['refusals'];
let lines: HeldGround['lines'];

beforeEach(async () => {
  ({ database, stored, opened, read, lock, listed, refusals, lines } = await heldGround(databases));
});

/** The names of a check or preview of the source. */
function tried() {
  const mapping: SourceConfig['mapping'] = { booleans: 'refuse', bad: 'refuse', labels: [], dst: 'earlier' };
  const rules = rulesOf({ sensors: 'all', mapping });
  const trial = namesOnTrial(database, { ...PROJECT, name: 'source', project: PROJECT.code }, rules);
  /** Meets the sensors in a window; tells whether it must be read again, and why points are refused then. */
  async function judge(...sensors: readonly string[]) {
    for (const sensor of sensors) rules.series(sensor, 'flow');
    const again = await trial.judge();
    const found = sensors.map((sensor) => rules.series(sensor, 'flow'));
    return { again, refused: found.filter((rule) => typeof rule === 'string') };
  }
  return { trial, judge };
}

describe('a locked project', () => {
  it('takes known names of a source, holds new ones back, and stores all of their points after a release and a backfill', async () => {
    await read(['pump-7']);
    await lock();
    await read(['pump-7', 'Pump-7', 'press']);
    expect(await lines()).toEqual([`pump-7 ${FROM} 0`]);
    expect(await refusals()).toEqual([
      { sensor: 'Pump-7', reason: 'name-held-back', refused: 1 },
      { sensor: 'press', reason: 'name-held-back', refused: 1 },
    ]);
    expect(await listed()).toEqual([
      { sensorId: 'Pump-7', from: 'source', refused: 1 },
      { sensorId: 'press', from: 'source', refused: 1 },
    ]);
    expect(await resembling(database, { sourceId: stored.sourceId })).toMatchObject([
      { sensorId: 'Pump-7', near: [{ sensorId: 'pump-7', valueName: 'flow' }] },
    ]);
    const { trial, judge } = tried();
    expect(await judge('pump-7')).toEqual({ again: false, refused: [] });
    expect(await trial.newNames()).toBe(null);
    expect(await judge('PUMP_07', 'pump-8')).toEqual({ again: true, refused: Array(2).fill('name-held-back') });
    expect(newNamesInWords(await trial.newNames())).toBe(
      '2 names would be held back, because the project is locked and has no series of them; PUMP_07 flow is new and resembles pump-7 flow of the project',
    );
    const beforeRelease = await opened(['press']);
    const { released, repairs } = await releaseNames(database, PROJECT, { sensorId: 'pre*' }, 'tester');
    expect({ released, repairs }).toMatchObject({
      released: 1,
      repairs: [
        {
          points: 1,
          command: 'databridge backfill start source --from 2026-03-01T00:00:00Z --to 2026-03-01T00:00:01Z --what all',
        },
      ],
    });
    // A window that was read before the release would refuse the name once more.
    await expect(read(['press'], beforeRelease)).rejects.toMatchObject({ code: 'cancelled' });
    await read(['pump-7', 'Pump-7', 'press']);
    expect(await lines()).toEqual([`press ${FROM} 2`, `pump-7 ${FROM} 0`]);
    expect(await refusals()).toEqual([{ sensor: 'Pump-7', reason: 'name-held-back', refused: 1 }]);
    await releaseNames(database, PROJECT, {}, 'tester');
    await read(['pump-7', 'Pump-7', 'press']);
    expect(await lines()).toEqual([`Pump-7 ${FROM} 1`, `press ${FROM} 2`, `pump-7 ${FROM} 0`]);
    expect(await refusals()).toEqual([]);
    expect(await database.rows('select action, actor, detail from audit order by id')).toMatchObject([
      { action: 'project.locked', actor: 'tester' },
      { action: 'project.released', detail: { sensorId: 'pre*', names: 1 } },
      { action: 'project.released', detail: { sensorId: '*', names: 1 } },
    ]);
  });

  it('takes new names again once it is unlocked', async () => {
    await lock();
    await read(['press']);
    const source = await opened(['press']);
    expect(await lock(false)).toMatchObject({ changed: true, room: { held: 1 }, repairs: [{ points: 1 }] });
    await expect(read(['press'], source)).rejects.toMatchObject({ code: 'cancelled' });
    await read(['press']);
    expect(await lines()).toEqual([`press ${FROM} 0`]);
    expect(await listed()).toEqual([]);
  });

  it('holds pushed names back, counts their readings, and takes them after a release', async () => {
    const { applicationId } = await createApplication(database, { organisation: 'default', name: 'a' }, 'tester');
    const pusher = { projectId: stored.projectId, applicationId };
    const ownership = pushedOwnershipOf(database);
    const known = columnOf('pump-7', { at: [FROM] });
    const fresh = columnOf('press', { at: [FROM, FROM + SECOND] });
    await ownership.untakenAmong(pusher, [known]);
    await lock();
    for (let time = 0; time < 2; time += 1) {
      expect(await ownership.untakenAmong(pusher, [known, fresh])).toEqual(
        new Map([['press\nvalue', 'name-held-back']]),
      );
    }
    expect(await heldNames(database, stored.projectId, { limit: 9 })).toMatchObject([
      {
        sensorId: 'press',
        valueName: 'value',
        application: applicationId,
        refused: 4,
        first: FROM,
        last: FROM + SECOND,
      },
    ]);
    const { released, applications } = await releaseNames(database, PROJECT, { sensorId: 'press' }, 'tester');
    expect({ released, applications }).toEqual({ released: 1, applications: [applicationId] });
    expect(await ownership.untakenAmong(pusher, [known, fresh])).toEqual(new Map());
    expect(await listed()).toEqual([]);
  });

  it('lists a bounded number of held names, and refuses the others all the same', async () => {
    await lock();
    const names = Array.from({ length: MOST_HELD_NAMES + 50 }, (_, index) => ({
      sensorId: `s${index}`,
      valueName: 'v',
    }));
    const bring = (some: typeof names) =>
      database.transaction((client) =>
        admitNames(client, {
          projectId: stored.projectId,
          owner: 'source',
          names: some,
          bringer: { sourceId: stored.sourceId },
        }),
      );
    const halves = [names.slice(0, names.length / 2), names.slice(names.length / 2)];
    const [one, other] = await Promise.all(halves.map(bring));
    expect((one?.refused.size ?? 0) + (other?.refused.size ?? 0)).toBe(names.length);
    expect(await projectRoom(database, PROJECT)).toMatchObject({ held: MOST_HELD_NAMES, series: 0 });
  });
});

describe('the quota of a project', () => {
  it('is not exceeded by sources and applications that begin at once, and more names come in when it is raised', async () => {
    await setQuota(database, PROJECT, 150, 'tester');
    const pulled = Array.from({ length: 100 }, (_, index) => `pulled ${index}`);
    const pushed = Array.from({ length: 100 }, (_, index) => columnOf(`pushed ${index}`, { at: [FROM] }));
    const pusher = { projectId: stored.projectId, applicationId: 'app' };
    const [untaken] = await Promise.all([
      pushedOwnershipOf(database).untakenAmong(pusher, pushed.slice(0, 60)),
      pushedOwnershipOf(database).untakenAmong(pusher, pushed.slice(40)),
      read(pulled),
    ]);
    for (const reason of untaken.values()) expect(reason).toBe('too-many-series');
    const count = async () => (await database.row<{ n: number }>('select count(*)::int as n from series'))?.n;
    expect(await count()).toBe(150);
    expect(await projectRoom(database, PROJECT)).toMatchObject({ quota: 150, series: 150 });
    const source = await opened(pulled);
    await setQuota(database, PROJECT, 200, 'tester');
    await expect(read(pulled, source)).rejects.toMatchObject({ code: 'cancelled' });
    await read(pulled);
    expect(await pushedOwnershipOf(database).untakenAmong(pusher, pushed)).toEqual(new Map());
    expect(await count()).toBe(200);
    expect(await refusals()).toEqual([]);
    await setQuota(database, PROJECT, 10, 'tester');
    expect(await pushedOwnershipOf(database).untakenAmong(pusher, [columnOf('new', { at: [FROM] })])).toEqual(
      new Map([['new\nvalue', 'too-many-series']]),
    );
    await lock();
    await read(['late']);
    await expect(releaseNames(database, PROJECT, {}, 'tester')).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('is counted by a check or preview over all of its windows', async () => {
    await read(['pump-7']);
    await setQuota(database, PROJECT, 3, 'tester');
    const { trial, judge } = tried();
    expect(await judge('pump-7', 'a')).toEqual({ again: false, refused: [] });
    expect(await judge('a', 'b', 'c')).toEqual({ again: true, refused: ['too-many-series'] });
    expect(await judge('d')).toEqual({ again: true, refused: ['too-many-series'] });
    expect(await judge('a', 'b', 'c', 'd')).toEqual({ again: false, refused: Array(2).fill('too-many-series') });
    expect(await trial.newNames()).toEqual({ names: 4, locked: false, beyondQuota: 2, near: [] });
    expect(newNamesInWords(await trial.newNames())).toBe(
      '2 names would be refused, because the quota of the project leaves no room for them',
    );
    expect(await projectRoom(database, PROJECT)).toMatchObject({ series: 1 });
  });
});
