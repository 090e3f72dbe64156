import { expect, it } from 'vitest';
import type { BucketState, Grid } from '../core/buckets.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../core/instant.ts';
import { bucketsIn, drawCoverage } from './coverage-chart.ts';
import { plain } from './screen.ts';

const TUESDAY = 20_774 * DAY;
const gridFrom = (length: number, count: number): Grid => ({
  length,
  edges: Array.from({ length: count + 1 }, (_, at) => TUESDAY + at * length),
});
const states = (text: string): BucketState[] => {
  const letters: Readonly<Record<string, BucketState>> = { d: 'data', e: 'empty', m: 'missing', a: 'asking' };
  const more: Readonly<Record<string, BucketState>> = { f: 'failed', r: 'refused', b: 'before-start', n: 'not-due' };
  return text.split('').map((letter) => ({ ...letters, ...more })[letter] ?? 'data');
};

it('has one row a stream, one character a bucket, an axis and the signs that were drawn', () => {
  const grid = gridFrom(HOUR, 24);
  const rows = [
    { label: 'pump-1', states: states('bbddeeeemmmmaaaaffffrrnn') },
    { label: 'a-stream-with-a-very-long-key', states: states('d'.repeat(24)) },
  ];
  expect(drawCoverage(rows, { grid, width: 80, paint: plain })).toEqual(
    [
      'pump-1               <<██····____~~~~xxxx!!',
      'a-stream-with-a-ver… ████████████████████████',
      '                     |11-17 00:00',
      'x cannot be read   _ missing   ~ being asked   ! with refused points   █ data',
      '· asked, no reading   < before its start   blank not due yet',
    ].map((line, index) => (index === 0 ? `${line}  ` : line)),
  );
});

it.each([
  [HOUR, '|11-17 00:00  |11-17 14:00  |11-18 04:00  |11-18 18:00'],
  [SECOND, '|00:00:00  |00:00:11  |00:00:22  |00:00:33  |00:00:44'],
  [DAY, '|2026-11-17  |2026-11-30  |2026-12-13  |2026-12-26'],
  [30 * MINUTE, '|11-17 00:00  |11-17 07:00  |11-17 14:00  |11-17 21:00'],
])('the axis names buckets of %i µs', (length, axis) => {
  const grid = gridFrom(length, 56);
  const [, drawn] = drawCoverage([{ label: '', states: states('d'.repeat(56)) }], { grid, width: 80, paint: plain });
  expect(drawn?.trim()).toBe(axis);
});

it.each([40, 80, 120])('never passes a width of %i', (width) => {
  const count = bucketsIn(width);
  const row = { label: 'x'.repeat(60), states: states('demafrn'.repeat(40)).slice(0, count) };
  const grid = gridFrom(HOUR, count);
  const lines = drawCoverage([row], { grid, width, paint: plain });
  expect(lines[0]).toHaveLength(width);
  expect(lines.filter((line) => line.length > width)).toEqual([]);
});
