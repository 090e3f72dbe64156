import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** Runs all that waits with one place of two in use, and returns the sources in their order. */
function order(turns: Turns<number>, costs: Readonly<Record<string, number>>): string[] {
  const sources: string[] = [];
  for (let next = turns.next(2); next !== undefined; next = turns.next(2)) {
    sources.push(next.source);
    turns.done(next.source, { milliseconds: costs[next.source] ?? 1, bytes: 1 }, false);
  }
  return sources;
}

it('a source with many costly answers does not keep another one waiting', () => {
  const turns = new Turns<number>(2);
  for (let item = 0; item < 5; item += 1) turns.add('costly', item);
  for (let item = 0; item < 5; item += 1) turns.add('light', item);
  expect(order(turns, { costly: 900, light: 10 }).slice(0, 6)).toEqual([
    'costly',
    'light',
    'light',
    'light',
    'light',
    'light',
  ]);
});

it('a source has one answer at a time, and its answers keep their order', () => {
  const turns = new Turns<number>(2);
  turns.add('a', 1);
  turns.add('a', 2);
  expect(turns.next(2)?.item).toBe(1);
  expect(turns.next(2)).toBeUndefined();
  turns.done('a', { milliseconds: 5, bytes: 1 }, false);
  expect(turns.next(2)?.item).toBe(2);
});

it('sources whose answer before was not evaluated to its end leave a place to others, and begin while others are busy', () => {
  const turns = new Turns<number>(2);
  turns.add('well', 0);
  turns.next(2);
  turns.done('well', { milliseconds: 5, bytes: 1 }, false);
  turns.add('new', 1);
  turns.add('loops', 2);
  turns.add('well', 3);
  expect(turns.next(1)?.source).toBe('new');
  expect(turns.next(1)?.source).toBe('well');
  turns.done('well', { milliseconds: 5, bytes: 1 }, false);
  expect(turns.next(1)).toBeUndefined();
  turns.done('new', { milliseconds: 1_000, bytes: 1 }, true);
  expect(turns.next(1)?.source).toBe('loops');
});

it('a source that was ended gives way to others', () => {
  const turns = new Turns<number>(2);
  turns.add('loops', 0);
  turns.next(2);
  turns.done('loops', { milliseconds: 1_000, bytes: 1 }, true);
  turns.add('loops', 1);
  turns.add('other', 2);
  turns.add('other', 3);
  expect(order(turns, {})).toEqual(['other', 'other', 'loops']);
});

it('an item that was given up is not begun', () => {
  const turns = new Turns<number>(2);
  turns.add('a', 1);
  turns.drop('a', 1);
  expect(turns.next(2)).toBeUndefined();
});

it('tells an answer that is too long from one that loops', () => {
  const turns = new Turns<number>(2);
  turns.done('long', { milliseconds: 400, bytes: 2e6 }, false);
  turns.done('long', { milliseconds: 1_000, bytes: 8e6 }, true);
  turns.done('loops', { milliseconds: 2, bytes: 1e3 }, false);
  expect(turns.isExplained('long', { milliseconds: 1_000, bytes: 8e6 })).toBe(true);
  expect(turns.isExplained('long', { milliseconds: 1_000, bytes: 1e6 })).toBe(false);
  expect(turns.isExplained('loops', { milliseconds: 1_000, bytes: 20e3 })).toBe(false);
  expect(turns.isExplained('new', { milliseconds: 1_000, bytes: 8e6 })).toBe(false);
});
