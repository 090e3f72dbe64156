import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sensor } from '../../platform/contract.ts';
import { absentFrom, missingFrom, planStreams } from './stream-plan.ts';
import type { StreamRules } from './stream-plan.ts';
import type { Stream } from '../open/open-source.ts';

type Known = Pick<Stream, 'id' | 'key' | 'selection'>;

const IDS = ['a', 'b', 'c', 'd'];
const GROUPS = ['g', 'h', undefined];

/** The sensors a platform shows at one time: each sensor of a group at most once. */
const shown: fc.Arbitrary<Sensor[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...IDS),
    group: fc.constantFrom(...GROUPS),
    variables: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }).map((names) => names.toSorted()),
  }),
  { maxLength: 8, selector: ({ group, id }) => `${group}/${id}` },
) as fc.Arbitrary<Sensor[]>;

const nameOf = (group: string | undefined, id: string, variable?: string): string =>
  JSON.stringify([group, id, variable]);

/** A text for each sensor and variable that has to be read. */
const wantedOf = (sensors: readonly Sensor[], { namesVariables }: StreamRules): string[] =>
  sensors.flatMap(({ group, id, variables }) =>
    namesVariables ? (variables ?? []).map((variable) => nameOf(group, id, variable)) : [nameOf(group, id)],
  );

/** The texts of everything a stream reads. */
const readBy = ({ selection: { group, sensors, variables } }: Pick<Stream, 'selection'>): string[] =>
  (sensors ?? IDS).flatMap((id) =>
    variables === undefined ? [nameOf(group, id)] : variables.map((variable) => nameOf(group, id, variable)),
  );

/** The streams after discovery has carried out a plan. */
function applied(streams: readonly Known[], sensors: readonly Sensor[], rules: StreamRules, nextId: number): Known[] {
  const { added, retired, narrowed } = planStreams(sensors, streams, rules);
  const narrower = new Map(narrowed.map(({ id, selection }) => [id, selection]));
  return [
    ...streams
      .filter(({ id }) => !retired.includes(id))
      .map((stream) => ({ ...stream, selection: narrower.get(stream.id) ?? stream.selection })),
    ...added.map(({ key, selection }, index) => ({ id: nextId + index, key, selection })),
  ];
}

/** The operator's list of these sensors. */
const listOf = (sensors: readonly Sensor[]): { id: string; group?: string }[] =>
  sensors.map(({ id, group }) => ({ id, ...(group === undefined ? {} : { group }) }));

/** A source over the years: sensors come and go, the operator chooses all of them or some. */
const years = fc.array(fc.record({ sensors: shown, all: fc.boolean() }), { minLength: 1, maxLength: 6 });
const limits = fc.record({
  sensorsPerRead: fc.constantFrom(1, 2, 3, Infinity),
  namesVariables: fc.boolean(),
  mostSeries: fc.constantFrom(2, 5, Infinity),
});

describe('streams over the years', () => {
  /** Calls back after each year with the streams before it and after it. */
  const live = (
    check: (year: { before: Known[]; after: Known[]; sensors: readonly Sensor[]; rules: StreamRules }) => void,
  ): void =>
    fc.assert(
      fc.property(years, limits, (all, given) => {
        let streams: Known[] = [];
        all.forEach((year, index) => {
          const rules = { ...given, chosen: year.all ? ('all' as const) : listOf(year.sensors) };
          const after = applied(streams, year.sensors, rules, 100 * (index + 1));
          check({ before: streams, after, sensors: year.sensors, rules });
          streams = after;
        });
      }),
      { numRuns: 600 },
    );

  test('read every wanted sensor and variable, and none twice', () =>
    live(({ after, sensors, rules }) => {
      const reads = Map.groupBy(after.flatMap(readBy), (name) => name);
      for (const name of wantedOf(sensors, rules)) expect(reads.get(name)).toHaveLength(1);
    }));

  test('read nothing of a sensor that the operator did not choose', () =>
    live(({ after, sensors, rules }) => {
      if (rules.chosen === 'all') return;
      for (const { selection } of after) {
        for (const id of selection.sensors ?? ['everything']) {
          // An entry without a group stands for every sensor of that name.
          const entries = sensors.filter((one) => one.id === id);
          expect(entries.some(({ group }) => group === undefined || group === selection.group)).toBe(true);
        }
      }
    }));

  test('never take in a sensor later, because their coverage would claim its past', () =>
    live(({ before, after }) => {
      for (const stream of before) {
        const later = after.find(({ id }) => id === stream.id);
        if (later) expect(readBy(stream)).toEqual(expect.arrayContaining(readBy(later)));
      }
    }));

  test('keep their sensors as long as these are wanted', () =>
    live(({ before, after, sensors, rules }) => {
      const wanted = new Set(wantedOf(sensors, rules));
      const wholeBefore = before.filter(({ selection }) => selection.sensors === undefined);
      for (const stream of before) {
        // A change between "the whole group" and "these sensors of it" keeps no stream.
        if (rules.mostSeries !== Infinity) continue;
        if (
          wholeBefore.includes(stream) !==
          (rules.chosen === 'all' && !rules.namesVariables && stream.selection.group !== undefined)
        )
          continue;
        const later = after.find(({ id }) => id === stream.id);
        const still = readBy(stream).filter((name) => wanted.has(name));
        expect(later === undefined ? [] : readBy(later)).toEqual(expect.arrayContaining(still));
      }
    }));

  test('inherit coverage only where the retired streams read each of their sensors', () =>
    fc.assert(
      fc.property(years, limits, (all, given) => {
        let streams: Known[] = [];
        all.forEach((year, index) => {
          const rules = { ...given, chosen: year.all ? ('all' as const) : listOf(year.sensors) };
          const { added, retired } = planStreams(year.sensors, streams, rules);
          for (const { inherits, selection, sensors } of added) {
            expect(retired).toEqual(expect.arrayContaining([...inherits]));
            const old = streams.filter(({ id }) => inherits.includes(id)).map((stream) => stream.selection);
            const ids = sensors.map(({ id }) => id);
            if (old.length > 0) expect(old.flatMap((one) => one.sensors ?? ids)).toEqual(expect.arrayContaining(ids));
            for (const { group } of old) expect(group).toBe(selection.group);
          }
          streams = applied(streams, year.sensors, rules, 100 * (index + 1));
        });
      }),
      { numRuns: 600 },
    ));

  test('have unique keys and at most as many sensors as one read takes', () =>
    live(({ after, rules }) => {
      expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
      for (const { selection } of after) {
        expect(selection.sensors?.length ?? Infinity).toBeLessThanOrEqual(rules.sensorsPerRead);
      }
    }));
});

describe('examples', () => {
  const rules = { sensorsPerRead: 1, namesVariables: true, mostSeries: Infinity, chosen: 'all' as const };
  const device = (variables: string[]): Sensor => ({ id: 'd', group: 'd', variables });

  test('a variable that appears later gets a stream of its own', () => {
    const [first] = planStreams([device(['x', 'y'])], [], rules).added;
    expect(first).toMatchObject({ key: 'd', selection: { group: 'd', sensors: ['d'], variables: ['x', 'y'] } });
    const existing = [{ id: 1, key: 'd', selection: { group: 'd', sensors: ['d'], variables: ['x', 'y'] } }];
    const later = planStreams([device(['x', 'y', 'z'])], existing, rules);
    expect(later.added.map(({ key, selection }) => [key, selection.variables])).toEqual([['d#2', ['z']]]);
    expect(later.retired).toEqual([]);
  });

  test('choosing some sensors of a group that was read as a whole gives them a stream with its coverage', () => {
    const whole = [{ id: 1, key: 'g', selection: { group: 'g', sensors: undefined, variables: undefined } }];
    const plan = planStreams([{ id: 'a', group: 'g' }], whole, {
      sensorsPerRead: Infinity,
      namesVariables: false,
      mostSeries: Infinity,
      chosen: [{ id: 'a', group: 'g' }],
    });
    expect(plan).toEqual({
      added: [
        {
          key: 'g#2',
          selection: { group: 'g', sensors: ['a'], variables: undefined },
          sensors: [{ id: 'a', group: 'g' }],
          inherits: [1],
        },
      ],
      retired: [1],
      narrowed: [],
    });
  });

  test('a group that grew too large is read in parts, which inherit its coverage, and whole again when it is small', () => {
    const large = { sensorsPerRead: Infinity, namesVariables: false, mostSeries: 10, chosen: 'all' as const };
    const members = (count: number): Sensor[] =>
      Array.from({ length: count }, (_, index) => ({ id: `s${index}`, group: 'g', variables: ['x'] }));
    const whole = [{ id: 1, key: 'g', selection: { group: 'g', sensors: undefined, variables: undefined } }];
    expect(planStreams(members(10), whole, large)).toEqual({ added: [], retired: [], narrowed: [] });
    const parts = planStreams(members(11), whole, large);
    expect(parts.added.map(({ selection, inherits }) => [selection.sensors?.length, inherits])).toEqual([
      ...Array.from({ length: 5 }, () => [2, [1]]),
      [1, [1]],
    ]);
    expect(parts.retired).toEqual([1]);
    const after = applied(whole, members(11), large, 10);
    // The platform shows less for a while: the parts list too many sensors for one stream.
    expect(planStreams(members(3), after, large)).toEqual({ added: [], retired: [], narrowed: [] });
    // A new sensor has a past to be filled.
    const { added } = planStreams(members(12), after, large);
    expect(added.map(({ selection, inherits }) => [selection.sensors, inherits])).toEqual([[['s11'], []]]);
    const { added: again, retired } = planStreams(members(11), after, { ...large, mostSeries: 20 });
    expect(again).toMatchObject([{ selection: { sensors: undefined }, inherits: [10, 11, 12, 13, 14, 15] }]);
    expect(retired).toHaveLength(6);
  });

  test('a sensor of many variables counts as many series', () => {
    const wide = { sensorsPerRead: Infinity, namesVariables: false, mostSeries: 10, chosen: 'all' as const };
    const sensors = ['a', 'b', 'c', 'd'].map((id): Sensor => ({ id, group: 'g', variables: ['x', 'y', 'z'] }));
    expect(planStreams(sensors, [], wide).added.map(({ selection }) => selection.sensors)).toEqual([
      ['a'],
      ['b'],
      ['c'],
      ['d'],
    ]);
  });

  test('a sensor that was not wanted for a while comes back with its past to be filled', () => {
    const list = { sensorsPerRead: Infinity, namesVariables: false, mostSeries: Infinity };
    const onlyA = { ...list, chosen: [{ id: 'a', group: 'g' }] };
    const bothChosen = { ...list, chosen: [{ id: 'a' }, { id: 'b' }] };
    const both = [{ id: 1, key: 'g', selection: { group: 'g', sensors: ['a', 'b'], variables: undefined } }];
    const without = applied(both, [{ id: 'a', group: 'g' }], onlyA, 10);
    expect(without).toEqual([{ id: 1, key: 'g', selection: { group: 'g', sensors: ['a'], variables: undefined } }]);
    const again = applied(
      without,
      [
        { id: 'a', group: 'g' },
        { id: 'b', group: 'g' },
      ],
      bothChosen,
      20,
    );
    expect(again.map(({ id, selection }) => [id, selection.sensors])).toEqual([
      [1, ['a']],
      [20, ['b']],
    ]);
  });

  test('a look that shows no sensor, or only some, retires and narrows no stream', () => {
    const streams = [
      { id: 1, key: 'g', selection: { group: 'g', sensors: ['a', 'b'], variables: undefined } },
      { id: 2, key: 'h', selection: { group: 'h', sensors: undefined, variables: undefined } },
    ];
    for (const chosen of ['all' as const, [{ id: 'a' }, { id: 'b', group: 'g' }, { id: 'c', group: 'h' }]]) {
      for (const sensors of [[], [{ id: 'a', group: 'g' }]]) {
        const plan = planStreams(sensors, streams, {
          sensorsPerRead: 1,
          namesVariables: true,
          mostSeries: Infinity,
          chosen,
        });
        expect(plan).toMatchObject({ retired: [], narrowed: [] });
        expect(absentFrom(sensors, streams)).toEqual(sensors.length === 0 ? [1, 2] : [2]);
      }
    }
  });

  test('an entry without a group is missing only where no group has a sensor of that name', () => {
    const entries = [{ id: 'a' }, { id: 'b' }, { id: 'a', group: 'h' }];
    expect(missingFrom([{ id: 'a', group: 'g' }], entries)).toEqual([{ id: 'b' }, { id: 'a', group: 'h' }]);
  });
});
