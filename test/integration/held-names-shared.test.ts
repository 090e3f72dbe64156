import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/access/applications.ts';
import { MOST_HELD_NAMES } from '../../src/ingest/new-names.ts';
import { pushedOwnershipOf } from '../../src/ingest/pushed-ownership.ts';
import { heldNames, releaseNames, resembling } from '../../src/source/held-names.ts';
import { renameHeld } from '../../src/source/held-rename.ts';
import { projectRoom } from '../../src/source/project-room.ts';
import { changeSource } from '../../src/source/state-change.ts';
import { useDatabases } from '../kit/databases.ts';
import { columnOf } from '../kit/stored-source.ts';
import { FROM, PROJECT, heldGround } from './held-ground.ts';
import type { HeldGround } from './held-ground.ts';

// A name that several sources and applications bring to a locked project: each of them keeps its own part of it.

const databases = useDatabases();
let ground: HeldGround;

beforeEach(async () => {
  ground = await heldGround(databases);
});

/** A new application pushes one reading of each name; the answer is its id. */
async function pushes(...sensorIds: readonly string[]): Promise<string> {
  const { database, stored } = ground;
  const wish = { organisation: 'default', name: randomUUID() };
  const { applicationId } = await createApplication(database, wish, 'tester');
  const columns = sensorIds.map((sensorId) => ({ ...columnOf(sensorId, { at: [FROM] }), valueName: 'flow' }));
  await pushedOwnershipOf(database).untakenAmong({ projectId: stored.projectId, applicationId }, columns);
  return applicationId;
}

const REPAIR = {
  source: 'source',
  points: 1,
  command: 'databridge backfill start source --from 2026-03-01T00:00:00Z --to 2026-03-01T00:00:01Z --what all',
};

const freed = {
  unlock: () => ground.lock(false),
  release: () => releaseNames(ground.database, PROJECT, { sensorId: 'press' }, 'tester'),
};

describe('a name of a source that an application pushed last', () => {
  it.each(['unlock', 'release'] as const)('comes from the source that is open, after %s', async (deed) => {
    const { read, opened, lock } = ground;
    await lock();
    const source = await opened(['press']);
    await read(['press'], source);
    const application = await pushes('press');
    expect(await ground.listed()).toEqual([{ sensorId: 'press', from: application, refused: 2 }]);
    expect(await projectRoom(ground.database, PROJECT)).toMatchObject({ held: 1 });
    expect(await freed[deed]()).toMatchObject({ repairs: [REPAIR] });
    // The source is opened anew, because its revision is another one.
    await expect(read(['press'], source)).rejects.toMatchObject({ code: 'cancelled' });
    await read(['press']);
    expect(await ground.lines()).toEqual([`press ${FROM} 0`]);
    expect(await ground.refusals()).toEqual([]);
    expect(await ground.listed()).toEqual([]);
  });

  it('stays held for the source when it is renamed, with the lines for its file', async () => {
    await ground.read(['pump-7']);
    await ground.lock();
    await ground.read(['press']);
    const applications = [await pushes('press'), await pushes('press')].toSorted();
    const { database } = ground;
    expect(await renameHeld(database, PROJECT, { sensorId: 'press' }, { sensorId: 'pump-7' }, 'tester')).toEqual({
      pushed: [{ from: { sensorId: 'press', valueName: 'flow' }, to: { sensorId: 'pump-7', valueName: 'flow' } }],
      applications,
      files: [{ source: 'source', yaml: 'sensors:\n  - id: "press"\n    as: "pump-7"' }],
    });
    expect(await ground.listed()).toEqual([{ sensorId: 'press', from: 'source', refused: 1 }]);
  });
});

describe('a name that two sources bring', () => {
  it('stays held for the one when the other is removed', async () => {
    const { read, opened, lock, database } = ground;
    const south = await ground.store('south');
    await read(['pump-7']);
    await lock();
    const source = await opened(['Pump-7']);
    await read(['Pump-7'], source);
    await read(['Pump-7'], await opened(['Pump-7'], south));
    const held = await heldNames(database, south.projectId, { limit: 9 });
    expect(held).toMatchObject([{ sensorId: 'Pump-7', source: 'south', refused: 2 }]);
    expect(await resembling(database, { sourceId: source.id })).toEqual(held);
    await changeSource(database, 'remove', { name: 'south' }, 'tester');
    await read(['Pump-7'], source);
    expect(await ground.listed()).toEqual([{ sensorId: 'Pump-7', from: 'source', refused: 1 }]);
    expect(await lock(false)).toMatchObject({ repairs: [REPAIR] });
    await expect(read(['Pump-7'], source)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('is repaired for both when it is released', async () => {
    const south = await ground.store('south');
    await ground.lock();
    await ground.read(['press', 'other']);
    await ground.read(['press'], await ground.opened(['press'], south));
    expect(await freed.release()).toMatchObject({ released: 1, repairs: [REPAIR, { source: 'south', points: 1 }] });
  });
});

it.each(['unlock', 'release'] as const)('a name that is not listed any more comes in after %s', async (deed) => {
  const { read, opened, lock } = ground;
  await lock();
  await pushes('press', ...Array.from({ length: MOST_HELD_NAMES - 1 }, (_, index) => `s${index}`));
  const source = await opened(['late']);
  await read(['late'], source);
  // A release of other names makes room in the list, and the source tells its names once more.
  expect(await freed[deed]()).toMatchObject({ repairs: deed === 'unlock' ? [REPAIR] : [] });
  await expect(read(['late'], source)).rejects.toMatchObject({ code: 'cancelled' });
  await read(['late']);
  expect(await heldNames(ground.database, source.projectId, { sensorId: 'late', limit: 9 })).toHaveLength(
    deed === 'unlock' ? 0 : 1,
  );
  expect(await ground.lines()).toEqual(deed === 'unlock' ? [`late ${FROM} 0`] : []);
});
