import { expect, test } from 'vitest';
import { platforms } from '../../adapters/index.ts';
import { kinds } from '../../adapters/kinds.ts';
import { DAY, HOUR, SECOND } from '../core/instant.ts';
import { table } from '../terminal/output.ts';
import { plain } from '../terminal/screen.ts';
import { boardHeading, boardLine } from './board.ts';
import { introduction, whatNext } from './guide.ts';
import { judgePlant, seriesKey } from './judge.ts';
import { demoPlants, pointsOf, signalsOf } from './plants.ts';
import { SUMMARY, summaryRows } from './summary.ts';

const from = 20_000 * DAY;
const nothing = { streams: [], stored: new Map(), windows: 0, fresh: 0, revised: 0, late: 0, refused: 0 };
const plants = demoPlants({ lies: false });
const everySignal = plants.flatMap((plant) =>
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
  const names = everySignal.map(({ signal }) => seriesKey(signal));
  expect(new Set(names).size).toBe(names.length);
});

test('every platform is a plant, and all kinds of credentials are among them', () => {
  expect(plants.map(({ name }) => name)).toEqual(platforms.map(({ name }) => name));
  expect(new Set(plants.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)));
});

test('some plants are late, some give errors, some have values that are no numbers', () => {
  expect(plants.some(({ faults }) => faults.length > 0)).toBe(true);
  const keys = plants.flatMap(({ truth }) => truth.devices.flatMap((device) => device.keys));
  expect(keys.some(({ late }) => late !== undefined)).toBe(true);
  expect(keys.some(({ kind }) => kind === 'text')).toBe(true);
});

test('the demo fits 80 columns, and its board 24 lines', () => {
  const row = { lag: 0, readings: 9_276_504, history: 1, requests: 12_345, lastSecond: 3, allowedInOneSecond: 5 };
  const board = [
    boardHeading(80, plain),
    ...plants.map(({ name }) =>
      boardLine({ ...row, source: name, state: 'active', trouble: undefined }, { width: 80, now: from, paint: plain }),
    ),
  ];
  // Below the board stand an empty line, the state of the demo and the cursor.
  expect(board.length + 3).toBeLessThanOrEqual(24);
  const verdicts = plants.map((plant) => ({
    ...judgePlant(plant, nothing, { requests: 0, troubles: 123, busiestSecond: 5 }),
    arrived: 9_276_504,
    late: 1_234,
    refused: 12_345,
  }));
  const door = { address: `http://127.0.0.1:65535/#/link/${'x'.repeat(43)}`, port: '65535' };
  // The first two commands have the paths of this machine.
  const next = whatNext('', plants, door, plain).filter((line) => !/^ {2}(?:export|alias) /.test(line));
  const texts = [
    ...introduction(plants, plain),
    ...next,
    ...board,
    ...table(SUMMARY, summaryRows(verdicts)).split('\n'),
  ];
  for (const text of texts) expect(text.length, text).toBeLessThanOrEqual(80);
});
