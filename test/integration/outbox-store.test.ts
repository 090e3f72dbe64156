import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { removeRemote, setRemote } from '../../src/delivery/remote.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeStream } from '../kit/stored-source.ts';
import { PROJECT_HERE, makeRig, otherProject, settingsOf, truthOf } from './outbox-rig.ts';
import type { Point, Rig } from './outbox-rig.ts';

const databases = useDatabases();
let rig: Rig;

afterEach(async () => {
  await rig.close();
});

const points = (sensor: string, from: number, count: number, value = 1): Point[] =>
  Array.from({ length: count }, (_, index) => ({ sensor, at: from + index, value }));

/** The readings noted in the outbox, from all of its rows. */
const noted = async (): Promise<string[]> => (await rig.outbox()).flatMap(({ readings }) => [...readings]).toSorted();

describe('the note of a window in the outbox', () => {
  it('is one row with its stream and its readings, ordered by series and time', async () => {
    rig = await makeRig(databases);
    await rig.push();
    await rig.commit([
      { sensor: 'b', at: 2, value: 3, precision: 50, labels: ['x', 'y'] },
      { sensor: 'a', at: 1, value: 2 },
      { sensor: 'a', at: 0, value: 1 },
    ]);
    const [row, more] = await rig.outbox();
    expect(more).toBeUndefined();
    expect(row).toEqual({ stream: rig.streamId, readings: expect.any(Array) as unknown });
    expect(row?.readings.filter((line) => line.startsWith('a'))).toEqual(['a 0 1 -', 'a 1 2 -']);
    expect(row?.readings.filter((line) => line.startsWith('b'))).toEqual(['b 2 3 50 {x,y}']);
  });

  it('is empty where nothing changed, and otherwise holds only new and revised readings', async () => {
    rig = await makeRig(databases);
    await rig.push();
    await rig.commit(points('a', 0, 5));
    const [first] = await rig.outbox();
    await rig.commit(points('a', 0, 5));
    expect(await rig.outbox()).toEqual([first]);
    await rig.commit([...points('a', 0, 2), { sensor: 'a', at: 2, value: 7 }, ...points('a', 3, 3)]);
    expect((await rig.outbox()).map(({ readings }) => readings)).toEqual([first?.readings, ['a 2 7 -', 'a 5 1 -']]);
  });

  it.each([
    ['fresh time', 0, 0],
    ['time covered before', 5_000, 0],
    ['time that is partly covered and partly known', 2_000, 700],
  ])('is the same for a window of many readings, in %s', async (_name, covered, pushed) => {
    rig = await makeRig(databases);
    if (covered > 0) await rig.commit(points('a', 0, covered));
    // Another stream stores readings inside the window first, in time that this stream has not covered: COPY meets their keys.
    const other = await storeStream(rig.database, rig.source, 'other');
    if (pushed > 0) await rig.commit(points('a', 3_000, pushed, 9), { stream: other });
    await rig.push();
    const revised = points('a', 100, 50, 2);
    await rig.commit([...points('a', 0, 100), ...revised, ...points('a', 150, 4_850)]);
    const before = (at: number): number | undefined =>
      at < covered ? 1 : at >= 3_000 && at < 3_000 + pushed ? 9 : undefined;
    const changed = Array.from({ length: 5_000 }, (_, at) => ({ at, value: at >= 100 && at < 150 ? 2 : 1 }))
      .filter(({ at, value }) => before(at) !== value)
      .map(({ at, value }) => `a ${at} ${value} -`);
    expect(await noted()).toEqual(changed.toSorted());
  });

  it('is cut into rows of at most 10,000 readings where more were copied', async () => {
    rig = await makeRig(databases);
    await rig.push();
    await rig.commit([...points('a', 0, 14_000), ...points('b', 0, 14_000)]);
    const rows = await rig.outbox();
    expect(rows.map(({ readings }) => readings.length)).toEqual([10_000, 10_000, 8_000]);
    expect(rows.every(({ stream }) => stream === rig.streamId)).toBe(true);
    expect(new Set(await noted()).size).toBe(28_000);
  });

  it('is rolled back with its window, small or large', async () => {
    rig = await makeRig(databases);
    await rig.push();
    await rig.database.run('alter table window_log add constraint never check (readings < 0) not valid');
    await expect(rig.commit(points('a', 0, 5))).rejects.toMatchObject({ code: '23514' });
    await expect(rig.commit(points('a', 0, 3_000))).rejects.toMatchObject({ code: '23514' });
    expect(await rig.outbox()).toEqual([]);
    expect(await truthOf(rig.database)).toEqual([]);
  });

  it('is not written for a project that keeps its readings here, beside one that hands them over', async () => {
    rig = await makeRig(databases);
    await rig.push();
    const other = await otherProject(rig.database);
    await rig.commit(points('a', 0, 5), other);
    await rig.commit(points('a', 5, 3_000), other);
    expect(await rig.outbox()).toEqual([]);
    expect(await removeRemote(rig.database, PROJECT_HERE, { discard: false }, 'test')).toBe(0);
    await rig.commit(points('a', 0, 3_000));
    expect(await rig.outbox()).toEqual([]);
  });
});

describe('two projects that hand their readings over', () => {
  it('each note their own readings, from small windows and large ones', async () => {
    rig = await makeRig(databases);
    await rig.push();
    const other = await otherProject(rig.database);
    await setRemote(rig.database, rig.sealing, { ...PROJECT_HERE, code: 'other' }, settingsOf(rig.service), 'test');
    for (const [from, count] of [
      [0, 5],
      [5, 3_000],
    ] as const) {
      await rig.commit(points('here', from, count));
      await rig.commit(points('there', from, count), other);
    }
    const rows = await rig.database.rows<{ project: number; stream: number; n: number }>(
      'select project_id as project, stream_id as stream, sum(readings) as n from outbox group by 1, 2 order by 1',
    );
    expect(rows).toEqual([
      { project: rig.source.projectId, stream: rig.streamId, n: 3_005 },
      { project: other.source.projectId, stream: other.stream, n: 3_005 },
    ]);
  });
});

describe('any sequence of windows', () => {
  const point = fc.record({
    sensor: fc.constantFrom('a', 'b'),
    at: fc.integer({ min: 0, max: 14 }),
    value: fc.constantFrom(0, 1),
    precision: fc.constantFrom(undefined, 50),
    labels: fc.constantFrom<readonly string[] | undefined>(undefined, ['x']),
  }) as fc.Arbitrary<Point>;
  const window = fc.uniqueArray(point, {
    minLength: 1,
    maxLength: 12,
    selector: ({ sensor, at }) => `${sensor} ${at}`,
  });

  it('notes each change once and in order', async () => {
    rig = await makeRig(databases);
    await rig.push();
    await fc.assert(
      fc.asyncProperty(fc.array(window, { minLength: 1, maxLength: 5 }), async (windows) => {
        await rig.database.run(`truncate reading, outbox; update stream set covered = '{}'`);
        const lineOf = ({ sensor, at, value, precision, labels }: Point): string =>
          `${sensor} ${at} ${value} ${precision ?? '-'}${labels ? ` {${labels.join(',')}}` : ''}`;
        const standing = new Map<string, string>();
        const changes: string[][] = [];
        for (const each of windows) {
          await rig.commit(each);
          const changed = each.filter((one) => standing.get(`${one.sensor} ${one.at}`) !== lineOf(one));
          for (const one of each) standing.set(`${one.sensor} ${one.at}`, lineOf(one));
          if (changed.length > 0) changes.push(changed.map(lineOf).toSorted());
        }
        expect((await rig.outbox()).map(({ readings }) => readings.toSorted())).toEqual(changes);
      }),
      { numRuns: 40 },
    );
  });
});
