import { expect, test } from 'vitest';
import type { Sensor } from '../../platform/contract.ts';
import { absentFrom, planStreams, readsAlone, unusedKeyOf } from './stream-plan.ts';

/** Single cases of streams that end, stay or are made; stream-plan.test.ts has the properties of all cases. */

const byVariable = { sensorsPerRead: 1, namesVariables: true, mostSeries: Infinity, chosen: 'all' as const };
const device = (variables: string[]): Sensor => ({ id: 'd', group: 'd', variables });

test('a stream of a whole group stays while a listed sensor that may be in it is not shown', () => {
  const whole = [{ id: 1, key: 'g', selection: { group: 'g', sensors: undefined, variables: undefined } }];
  const list = { sensorsPerRead: Infinity, namesVariables: false, mostSeries: Infinity };
  const sensors = [{ id: 'a', group: 'g' }];
  for (const missing of [{ id: 'b', group: 'g' }, { id: 'b' }]) {
    const chosen = [{ id: 'a', group: 'g' }, missing];
    expect(planStreams(sensors, whole, { ...list, chosen })).toEqual({ added: [], retired: [], narrowed: [] });
  }
  const elsewhere = planStreams(sensors, whole, { ...list, chosen: [...sensors, { id: 'b', group: 'h' }] });
  expect(elsewhere).toMatchObject({ added: [{ selection: { sensors: ['a'] }, inherits: [1] }], retired: [1] });
});

test('a stream ends where the list has none of its sensors', () => {
  const both = [{ id: 1, key: 'g', selection: { group: 'g', sensors: ['a', 'b'], variables: undefined } }];
  const plan = planStreams([{ id: 'c', group: 'g' }], both, {
    sensorsPerRead: Infinity,
    namesVariables: false,
    mostSeries: Infinity,
    chosen: [{ id: 'c' }],
  });
  expect(plan).toMatchObject({
    added: [{ selection: { sensors: ['c'] }, inherits: [] }],
    retired: [1],
    narrowed: [],
  });
});

test('a sensor without a variable that is not read yet gets no stream', () => {
  const existing = [{ id: 1, key: 'd', selection: { group: 'd', sensors: ['d'], variables: ['x', 'y'] } }];
  expect(planStreams([device(['y'])], existing, byVariable).added).toEqual([]);
  expect(planStreams([device([])], [], byVariable).added).toEqual([]);
});

test('keys are numbered from two on', () => {
  const unused = unusedKeyOf(['d', 'd#2']);
  expect(['d', 'd', 'e', 'e'].map(unused)).toEqual(['d#3', 'd#4', 'e', 'e#2']);
});

test('a stream is absent where another sensor of its group is shown, but not where it reads that group whole', () => {
  const part = { id: 1, key: 'g', selection: { group: 'g', sensors: ['a', 'b'], variables: undefined } };
  const whole = { id: 2, key: 'g#2', selection: { group: 'g', sensors: undefined, variables: undefined } };
  expect(absentFrom([{ id: 'c', group: 'g' }], [part, whole])).toEqual([1]);
  expect(absentFrom([{ id: 'b', group: 'g' }], [part, whole])).toEqual([]);
  expect(absentFrom([{ id: 'b', group: 'h' }], [part, whole])).toEqual([1, 2]);
});

test('a stream can be made at once where a read takes one sensor', () => {
  expect([1, 2, Infinity].map((sensorsPerRead) => readsAlone({ ...byVariable, sensorsPerRead }))).toEqual([
    true,
    false,
    false,
  ]);
});
