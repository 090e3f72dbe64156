import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceConfig } from '../../core/source/source.ts';
import type { Sensor } from '../../platform/contract.ts';
import { afterChoice, listedIn, planStreams } from './stream-plan.ts';
import type { KnownStream, StreamRules } from './stream-plan.ts';

const PLATFORM: readonly Sensor[] = [
  { id: 'a', group: 'g' },
  { id: 'b', group: 'g' },
  { id: 'c', group: 'g' },
  { id: 'a', group: 'h' },
  { id: 'd', group: 'h' },
];

type Chosen = SourceConfig['sensors'];

const choices: fc.Arbitrary<Chosen> = fc.oneof(
  fc.constant<Chosen>('all'),
  fc.uniqueArray(
    fc.record(
      { id: fc.constantFrom('a', 'b', 'c', 'd', 'gone'), group: fc.constantFrom('g', 'h') },
      { requiredKeys: ['id'] },
    ),
    { minLength: 1, maxLength: 4, selector: (entry) => JSON.stringify(entry) },
  ) as fc.Arbitrary<Chosen>,
);

const deeds = fc.array(
  fc.oneof(
    choices.map((chosen) => ({ deed: 'choose' as const, chosen, known: true })),
    // A version that no longer takes the stored list does not know the choice before.
    choices.map((chosen) => ({ deed: 'choose' as const, chosen, known: false })),
    fc.constant({ deed: 'look' as const }),
    fc.constant({ deed: 'poll' as const }),
  ),
  { minLength: 3, maxLength: 14 },
);

interface Stream extends KnownStream {
  readonly covered: ReadonlySet<number>;
}

const nameOf = ({ id, group }: Sensor): string => `${group}/${id}`;

const readBy = ({ selection: { group, sensors } }: KnownStream): Sensor[] =>
  PLATFORM.filter((sensor) => sensor.group === group && (sensors?.includes(sensor.id) ?? true));

const common = (sets: readonly ReadonlySet<number>[]): Set<number> =>
  new Set([...(sets[0] ?? [])].filter((step) => sets.every((set) => set.has(step))));

describe('a choice of sensors', () => {
  test.each([1, 2, Infinity])(
    'leaves nothing covered that was dropped, whether a look follows or not (sensors a read: %s)',
    (sensorsPerRead) => {
      fc.assert(
        fc.property(choices, deeds, (first, history) => {
          let streams: Stream[] = [];
          let chosen = first;
          let ids = 0;
          const stored = new Map<string, Set<number>>(PLATFORM.map((sensor) => [nameOf(sensor), new Set()]));
          const isChosen = (sensor: Sensor): boolean => chosen === 'all' || listedIn(chosen)(sensor);
          for (const [step, deed] of history.entries()) {
            if (deed.deed === 'choose') {
              const choice = { before: deed.known ? chosen : undefined, chosen: deed.chosen };
              const { retired, narrowed } = afterChoice(streams, choice);
              streams = streams.flatMap((stream) => {
                const left = narrowed.find(({ id }) => id === stream.id);
                return retired.includes(stream.id) ? [] : [left ? { ...stream, selection: left.selection } : stream];
              });
              ({ chosen } = deed);
            } else if (deed.deed === 'look') {
              const rules: StreamRules = { sensorsPerRead, namesVariables: false, mostSeries: 100, chosen };
              const plan = planStreams(PLATFORM.filter(isChosen), streams, rules);
              const before = new Map(streams.map((stream) => [stream.id, stream]));
              const added = plan.added.map(({ key, selection, inherits }): Stream => {
                ids += 1;
                return { id: ids, key, selection, covered: common(inherits.map((id) => before.get(id)!.covered)) };
              });
              streams = streams.flatMap((stream) => {
                const left = plan.narrowed.find(({ id }) => id === stream.id);
                const kept = left ? { ...stream, selection: left.selection } : stream;
                return plan.retired.includes(stream.id) ? [] : [kept];
              });
              streams.push(...added);
            } else {
              for (const stream of streams)
                for (const sensor of readBy(stream).filter(isChosen)) stored.get(nameOf(sensor))!.add(step);
              streams = streams.map((stream) => ({ ...stream, covered: new Set([...stream.covered, step]) }));
            }
            for (const stream of streams) {
              for (const sensor of readBy(stream).filter(isChosen)) {
                const dropped = [...stream.covered].filter((at) => !stored.get(nameOf(sensor))!.has(at));
                expect({ sensor: nameOf(sensor), dropped }).toEqual({ sensor: nameOf(sensor), dropped: [] });
              }
            }
          }
        }),
        { numRuns: 1_000 },
      );
    },
  );
});

describe('streams after another choice', () => {
  const selection = (group: string | undefined, sensors?: string[]) => ({ group, sensors, variables: undefined });
  const listed: KnownStream = { id: 1, key: 'g', selection: selection('g', ['a', 'b']) };
  const whole: KnownStream = { id: 2, key: 'h', selection: selection('h') };
  const ungrouped: KnownStream = { id: 3, key: 's', selection: selection(undefined) };

  test.each<[what: string, before: Chosen | undefined, chosen: Chosen, retired: number[], narrowed: string[][]]>([
    ['nothing changes', 'all', 'all', [], []],
    ['some of a list leave', 'all', [{ id: 'a' }], [], [['a']]],
    ['all of a list leave', 'all', [{ id: 'c' }], [1], []],
    ['all of a list leave for those of another group', 'all', [{ id: 'a', group: 'h' }], [1], []],
    ['all come back', [{ id: 'a' }, { id: 'b' }], 'all', [2, 3], []],
    ['the choice before is not known', undefined, 'all', [2, 3], []],
    ['the choice before a list is not known', undefined, [{ id: 'a' }, { id: 'b' }], [2, 3], []],
  ])('%s', (_, before, chosen, retired, narrowed) => {
    expect(afterChoice([listed, whole, ungrouped], { before, chosen })).toEqual({
      retired,
      narrowed: narrowed.map((sensors) => ({ id: 1, selection: selection('g', sensors) })),
    });
  });

  const x = { id: 'x', group: 'h' };
  test.each<[ends: 'ends' | 'stays', what: string, before: Chosen, chosen: Chosen]>([
    ['stays', 'the same list', [x], [x]],
    ['ends', 'one more of its group', [x], [x, { id: 'y', group: 'h' }]],
    ['stays', 'one more of another group', [x], [x, { id: 'y', group: 'g' }]],
    ['stays', 'one that was chosen, now in every group', [x], [{ id: 'x' }]],
    ['stays', 'one that was chosen in every group, now in its own', [{ id: 'x' }], [x]],
    ['ends', 'one that may be in any group', [x], [x, { id: 'y' }]],
    ['ends', 'one that was chosen in another group', [{ id: 'x', group: 'g' }], [x]],
  ])('the stream of a whole group %s with %s', (ends, _, before, chosen) => {
    expect(afterChoice([whole], { before, chosen }).retired).toEqual(ends === 'ends' ? [2] : []);
  });

  test('the stream of a whole source ends with a sensor that was not chosen before', () => {
    const [one, other] = [[{ id: 'x' }], [{ id: 'y' }]];
    expect(afterChoice([ungrouped], { before: one, chosen: one }).retired).toEqual([]);
    expect(afterChoice([ungrouped], { before: one, chosen: other }).retired).toEqual([3]);
  });
});
