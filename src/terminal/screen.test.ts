import { expect, test } from 'vitest';
import { screenOn } from './screen.ts';

/** A terminal that understands the sequences of a screen: cursor up, erase to the end of the line and of the screen. */
function terminal(): { lines: () => string[]; stream: NodeJS.WriteStream; cursor: () => boolean } {
  const lines = ['before', ''];
  let row = 1;
  let shown = true;
  const print = (text: string): void => {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines[(row += 1)] ??= '';
      const shownPart = part.replace('\r', '');
      if (shownPart !== '') lines[row] = shownPart;
    }
  };
  const write = (text: string): boolean => {
    const [plainly = '', ...sequences] = text.split('\u001B[');
    print(plainly);
    for (const sequence of sequences) {
      const [, number = '', command = '', rest = ''] = /^(\??\d*)([A-Za-z])([^]*)$/.exec(sequence) ?? [];
      if (command === 'A') row -= Number(number);
      if (command === 'J') lines.splice(row, Infinity, '');
      if (number === '?25') shown = command === 'h';
      print(rest);
    }
    return true;
  };
  return { lines: () => lines, stream: { write } as unknown as NodeJS.WriteStream, cursor: () => shown };
}

test('frames of any height replace each other below earlier output', () => {
  const { lines, stream, cursor } = terminal();
  const screen = screenOn(stream);
  screen.draw(['one', 'two', 'three']);
  expect(lines()).toEqual(['before', 'one', 'two', 'three', '']);
  screen.draw(['four']);
  expect(lines()).toEqual(['before', 'four', '']);
  screen.draw(['five', 'six']);
  expect(lines()).toEqual(['before', 'five', 'six', '']);
  expect(cursor()).toBe(false);
  screen.clear();
  screen.clear();
  expect(lines()).toEqual(['before', '']);
  expect(cursor()).toBe(true);
});

test('a screen that is left stays, with the cursor below it; the end of the process shows the cursor, too', () => {
  const before = process.listenerCount('exit');
  const { lines, stream, cursor } = terminal();
  const screen = screenOn(stream);
  screen.draw(['one', 'two']);
  expect([cursor(), process.listenerCount('exit')]).toEqual([false, before + 1]);
  process.listeners('exit').at(-1)?.(0);
  expect(cursor()).toBe(true);
  screen.draw(['one', 'three']);
  screen.leave();
  screen.leave();
  expect([lines(), cursor(), process.listenerCount('exit')]).toEqual([['before', 'one', 'three', ''], true, before]);
  screen.draw(['next']);
  screen.leave();
  expect(lines()).toEqual(['before', 'one', 'three', 'next', '']);
});
