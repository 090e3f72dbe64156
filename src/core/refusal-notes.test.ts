import { expect, test } from 'vitest';
import { examplesOf } from './batch.ts';
import { refusalNotes } from './refusal-notes.ts';

test('of many refused points of a variable a few are shown, from the first to the last', () => {
  const notes = refusalNotes();
  let asked = 0;
  const note = (sensor: string, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) {
      const raw = (): string => {
        asked += 1;
        return `${at}`;
      };
      notes.note(sensor, 'x', 'not-a-number', { place: at, at, raw });
    }
  };
  note('s', 0, 500);
  note('t', 100, 200);
  note('s', 500, 900);
  const sealed = notes.sealed();
  expect(sealed.map(({ sensor, places, examples }) => [sensor, places.length, examples.map(({ at }) => at)])).toEqual([
    ['s', 900, [0, 256, 512, 768, 899]],
    ['t', 100, [100, 132, 164, 196, 199]],
  ]);
  expect(asked).toBe(10);
  const shown = examplesOf(sealed).slice(0, 3);
  expect(shown.map(({ sensor, at, raw }) => [sensor, at, raw])).toEqual([
    ['s', 0, '0'],
    ['t', 100, '100'],
    ['s', 256, '256'],
  ]);
});
