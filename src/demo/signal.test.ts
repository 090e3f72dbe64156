import { expect, test } from 'vitest';
import { DAY, HOUR, SECOND } from '../core/instant.ts';
import { demoPlants, shownPoints } from './plants.ts';
import { pointsOf } from './signal.ts';

const [honest, liar] = [false, true].map((lies) => demoPlants({ lies })[0]);
const from = 20_000 * DAY;

test.each(demoPlants({ lies: false }).flatMap(({ signals }) => signals))(
  '$sensor $field is the same however its time is cut',
  (signal) => {
    const whole = [...pointsOf(signal, { from, to: from + 2 * HOUR })];
    const cuts = [from, from + 1, from + 7 * SECOND, from + 3 * signal.every, from + 2 * HOUR];
    const parts = cuts.slice(1).flatMap((to, index) => [...pointsOf(signal, { from: cuts[index] as number, to })]);
    expect(parts).toEqual(whole);
    expect(whole).toHaveLength((2 * HOUR) / signal.every);
    expect(whole.some(({ value }) => Object.is(value, -0))).toBe(false);
  },
);

test('a late point is not shown before it appears', () => {
  const plant = demoPlants({ lies: false })[2];
  const signal = plant?.signals.find(({ late }) => late !== undefined);
  if (plant === undefined || signal === undefined) throw new Error('no plant is late');
  const window = { from, to: from + 60 * SECOND };
  const shown = (now: number): number => [...shownPoints(plant, signal, window, now)].length;
  expect([shown(from), shown(from + 52 * SECOND), shown(window.to + DAY)]).toEqual([0, 10, 12]);
});

test('a liar leaves points out and changes others', () => {
  const [signal] = honest?.signals ?? [];
  if (!honest || !liar || !signal) throw new Error('no plant');
  const window = { from, to: from + DAY };
  const truth = [...shownPoints(honest, signal, window, from + 2 * DAY)];
  const lies = [...shownPoints(liar, signal, window, from + 2 * DAY)];
  expect(truth.length - lies.length).toBeGreaterThan(10);
  const values = new Map(truth.map(({ at, value }) => [at, value]));
  expect(lies.filter(({ at, value }) => values.get(at) !== value).length).toBeGreaterThan(10);
});
