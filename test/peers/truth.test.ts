import { expect, it } from 'vitest';
import { columns } from './page.ts';
import { comparison } from './truth.ts';

const truth = {
  sensors: ['a', 'b'],
  from: 500_000,
  to: 3_500_000,
  spacing: 1_000_000,
  valueAt: (sensor: number, at: number) => sensor * 100 + at / 1_000_000,
};

it('tells what is missing, doubled and wrong, and what was missed while the program was away', () => {
  const compared = comparison(truth);
  for (const [sensor, second, value] of [
    ['a', 1, 1],
    ['a', 1, 1],
    ['a', 3, 3],
    ['b', 1, 101],
    ['b', 2, 7],
    ['b', 3, 103],
    ['c', 2, 0],
  ] as const)
    compared.add(sensor, second * 1_000_000, value);
  compared.add('a', 1_200_000, 1);
  // Not of the range.
  compared.add('a', 0, 9);
  compared.add('b', 4_000_000, 9);
  expect(compared.verdict({ from: 1_900_000, to: 2_000_001 })).toEqual({
    missing: 2,
    missingAway: 2,
    doubled: 1,
    wrong: 3,
  });
  expect(compared.verdict().missingAway).toBe(0);
});

it('finds nothing wrong with the source itself', () => {
  const compared = comparison(truth);
  for (const second of [3, 2, 1])
    for (const [place, sensor] of truth.sensors.entries())
      compared.add(sensor, second * 1_000_000, truth.valueAt(place, second * 1_000_000));
  expect(compared.verdict()).toEqual({ missing: 0, missingAway: 0, doubled: 0, wrong: 0 });
});

it('shows a column a peer, and a dash where a peer has no figure', () => {
  const measures = [
    { of: 'one', what: 'points a second', value: 2_000, unit: '' },
    { of: 'one', what: 'until all', value: Number.NaN, unit: 's' },
    { of: 'other', what: 'points a second', value: 0, unit: '' },
  ];
  expect(columns('past', ['other', 'third', 'one'], measures)).toEqual({
    heading: ['past', 'other', 'third', 'one'],
    rows: [
      ['points a second', '0', '—', '2,000'],
      ['until all, s', '—', '—', '—'],
    ],
  });
});
