import { expect, test } from 'vitest';
import { DAY, HOUR, SECOND } from '../core/instant.ts';
import { demoPlants, pointsOf, signalsOf } from './plants.ts';

const from = 20_000 * DAY;
const everySignal = demoPlants({ lies: false }).flatMap((plant) =>
  signalsOf(plant).map((signal) => ({ plant, signal, name: `${plant.name} ${signal.sensorId} ${signal.valueName}` })),
);

test.each(everySignal)('$name is the same however its time is cut', ({ plant, signal }) => {
  const whole = [...pointsOf(plant, signal, { from, to: from + 2 * HOUR })];
  const cuts = [from, from + 1, from + 7 * SECOND, from + 15 * SECOND, from + 2 * HOUR];
  const parts = cuts.slice(1).flatMap((to, index) => [...pointsOf(plant, signal, { from: cuts[index] as number, to })]);
  expect(parts).toEqual(whole);
  expect(whole.length).toBeGreaterThanOrEqual(24);
});

test('every signal is a series of its own', () => {
  const names = everySignal.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of ['press-1 motor_current', 'tower flow', 'boiler-2 steam_alarm'])
    expect(names.join()).toContain(name);
});
