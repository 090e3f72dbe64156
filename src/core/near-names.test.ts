import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearNames } from './near-names.ts';

const named = (sensorId: string, valueName = 'flow') => ({ sensorId, valueName });
const isNear = (one: string, other: string): boolean => nearNames([named(other)]).near(named(one), 9).length === 1;

describe('a name is near to one that', () => {
  it.each([
    ['has other case', 'Pump-7', 'pump-7'],
    ['has another separator', 'pump_7', 'pump-7'],
    ['has no separator', 'pump7', 'pump.7'],
    ['has several separators', 'pump -_ 7', 'pump-7'],
    ['begins with a separator', '-ab', 'ab'],
    ['ends with a separator', 'ab.', 'ab'],
    ['ends with a separator after a digit', 'ab1_', 'ab1'],
    ['has separators before a digit', 'ab--1', 'ab1'],
    ['has separators behind a digit', '1--ab', '1ab'],
    ['has another separator between digits', '1_2', '1-2'],
    ['has several separators between digits', '1 - 2', '1-2'],
    ['has leading zeros', 'pump-007', 'pump-7'],
    ['lacks a letter', 'pmp-7', 'pump-7'],
    ['has a letter more', 'pumpp-7', 'pump-7'],
    ['has another letter', 'pumb-7', 'pump-7'],
    ['has two letters in each other’s place', 'pmup-7', 'pump-7'],
  ])('%s', (_, one, other) => {
    expect(isNear(one, other)).toBe(true);
    expect(isNear(other, one)).toBe(true);
  });

  it.each([
    ['itself', 'pump-7', 'pump-7'],
    ['with another number', 'pump-7', 'pump-8'],
    ['with one digit more', 'pump-7', 'pump-17'],
    ['with digits in two parts', 'pump-1-2', 'pump-12'],
    ['of a neighbour with a letter', 'motor A', 'motor B'],
    ['too short for a typing error', 'ab1', 'ac1'],
    ['two errors away', 'qumq-7', 'pump-7'],
    ['two letters longer', 'pumpxy', 'pump'],
    ['with one letter for two', 'hallxpump', 'hallyzpump'],
    ['with two other letters side by side', 'hallxypump', 'hallyzpump'],
    ['with three other letters, of which two are swapped', 'hallabxpump', 'hallbaypump'],
    ['with a digit in another place', 'pum7pqr', 'pump7qr'],
  ])('but not: %s', (_, one, other) => {
    expect(isNear(one, other)).toBe(false);
    expect(isNear(other, one)).toBe(false);
  });

  it('the valueName counts, too', () => {
    expect(nearNames([named('pump', 'flow_rate')]).near(named('pump', 'FlowRate'), 9)).toHaveLength(1);
    expect(nearNames([named('ab', 'flow')]).near(named('ab', 'flwo'), 9)).toHaveLength(1);
    expect(nearNames([named('pumpx', 'ab')]).near(named('pump', 'ab'), 9)).toHaveLength(1);
    expect(nearNames([named('pump', 'ab')]).near(named('pump', 'ac'), 9)).toEqual([]);
    expect(nearNames([named('pump', 'pressure')]).near(named('pump', 'flow_rate'), 9)).toEqual([]);
  });
});

it('the nearest names come first, and no more than were asked for', () => {
  const [typed, other, spelt, again] = ['pumb-7', 'pumd-7', 'PUMP-7', 'pump_7'].map((id) => named(id));
  const names = nearNames([typed, other, spelt, again] as { sensorId: string; valueName: string }[]);
  const known = (most: number) => names.near(named('pump-7'), most);
  expect(known(9)).toEqual([spelt, again, typed, other]);
  expect(known(3)).toEqual([spelt, again, typed]);
  expect(known(1)).toEqual([spelt]);
  expect(known(0)).toEqual([]);
});

const part = fc.stringMatching(/^[a-z]{4,8}$/);
const names = fc
  .tuple(part, fc.integer({ min: 0, max: 99_999 }), part)
  .map(([area, number, what]) => ({ area, number, what }));

describe('for all names', () => {
  it('case, separators and leading zeros make a name near, and another number makes it none', () => {
    const spelling = fc.record({
      separators: fc.tuple(fc.constantFrom('-', '_', '.', ' ', ''), fc.constantFrom('-', '_', '.', ' ', '')),
      zeros: fc.integer({ min: 0, max: 3 }),
      upper: fc.boolean(),
    });
    fc.assert(
      fc.property(names, spelling, fc.integer({ min: 1, max: 9 }), ({ area, number, what }, given, more) => {
        const [first, second] = given.separators;
        const spelt = `${area}${first}${'0'.repeat(given.zeros)}${number}${second}${what}`;
        const written = given.upper ? spelt.toUpperCase() : spelt;
        const known = `${area}-${number}-${what}`;
        expect(isNear(written, known)).toBe(written !== known);
        expect(isNear(`${area}-${number + more}-${what}`, written)).toBe(false);
      }),
    );
  });

  it('one typing error in a word makes a name near, in both directions', () => {
    const error = fc.record({
      kind: fc.constantFrom('more', 'less', 'other', 'swap'),
      place: fc.integer({ min: 1, max: 2 }),
      letter: fc.stringMatching(/^[a-z]$/),
    });
    fc.assert(
      fc.property(names, error, ({ area, number, what }, { kind, place, letter }) => {
        const [before, after] = [area.slice(0, place), area.slice(place)];
        const wrong = {
          more: before + letter + after,
          less: before + after.slice(1),
          other: before + letter + after.slice(1),
          swap: before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2),
        }[kind];
        const [one, other] = [`${wrong}-${number}-${what}`, `${area}-${number}-${what}`];
        expect(isNear(one, other)).toBe(one !== other);
        expect(isNear(other, one)).toBe(one !== other);
      }),
    );
  });
});
