import { expect, test } from 'vitest';
import { DAY, SECOND } from '../core/instant.ts';
import { boardHeading, boardLine } from './board.ts';
import type { BoardRow } from './observe.ts';
import { plain } from '../terminal/screen.ts';

const now = 20_000 * DAY;
const row: BoardRow = {
  source: 'cooling-water',
  state: 'active',
  lag: 2_300_000,
  readings: 9_276_504,
  history: 0.999,
  requests: 12_345,
  lastSecond: 3,
  allowedInOneSecond: 6,
  trouble: undefined,
};
const throttled = {
  message: 'POST http://127.0.0.1:1/query: 429 Too Many Requests: too many queries; waiting until 2026-11-21T02:26:52Z',
  at: now - SECOND,
  until: now + 2 * SECOND,
};
const line = (changes: Partial<BoardRow>, width = 100): string =>
  boardLine({ ...row, ...changes }, { width, now, paint: plain });

test('a source is a line; its history is full only if nothing is missing', () => {
  expect(line({})).toBe('cooling-water      2s  9,276,504  █████░  99%   12,345    3 of 6  –');
  expect(line({ history: 1 })).toContain('██████ 100%');
  expect(line({ source: 'a-name-too-long' })).toMatch(/^a-name-too-lo… {5}2s/);
  expect(line({ lag: null })).toContain('  –  ');
  expect(line({ lag: 2 * DAY })).toContain(' 2d ');
});

test('a trouble is shown with the time the source still waits, or with its age', () => {
  expect(line({ trouble: throttled })).toMatch(/ {2}429 Too Many Requests, waits 2s$/);
  const over = { message: 'GET /: 503 Service Unavailable', at: now - 72 * SECOND, until: now - 71 * SECOND };
  expect(line({ trouble: over })).toMatch(/ {2}503 Service Unavailable, 1m12s ago$/);
  expect(line({ trouble: throttled, state: 'stopped' })).toMatch(/ {2}stopped: 429 Too Many Requests$/);
});

test.each([40, 79, 80, 100])('no line is wider than %d columns', (width) => {
  const trouble = { ...throttled, message: 'a long story '.repeat(20) };
  expect(line({ trouble }, width).length).toBeLessThanOrEqual(width);
  expect(boardHeading(width, plain).length).toBeLessThanOrEqual(width);
});

test('the troubles of the demo fit 100 columns uncut', () => {
  expect(line({ trouble: throttled })).not.toContain('…');
  expect(line({ trouble: { ...throttled, message: '503 Service Unavailable' } })).not.toContain('…');
});
