import { describe, expect, it } from 'vitest';
import { table } from './output.ts';

const heading = ['id', 'name', 'state', 'fault'];
const rows = [
  [7, 'a-name-that-is-long', 'active', ''],
  [12, 'b', 'stopped', 'the platform refused the password'],
];

describe('a table', () => {
  it('has a line a row on a pipe and where it fits, and numbers stand to the right', () => {
    const whole = [
      'id  name                 state    fault',
      '──  ───────────────────  ───────  ─────────────────────────────────',
      ' 7  a-name-that-is-long  active',
      '12  b                    stopped  the platform refused the password',
    ].join('\n');
    expect(table(heading, rows)).toBe(whole);
    expect(table(heading, rows, { width: 67 })).toBe(whole);
  });

  it('folds where it does not fit: further columns stand below the first ones, and empty lines are left out', () => {
    expect(table(heading, rows, { width: 40 })).toBe(
      [
        'id  name                 state',
        '  fault',
        '─────────────────────────────────',
        ' 7  a-name-that-is-long  active',
        '12  b                    stopped',
        '  the platform refused the password',
      ].join('\n'),
    );
  });

  it.each([21, 30, 50, 66])('that folds is at most %i wide, and cuts nothing', (width) => {
    const drawn = table(heading, rows, { width });
    expect(Math.max(...drawn.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(drawn.replaceAll(/\s+/g, ' ')).toContain('the platform refused the password');
  });

  it('keeps the widths of its columns where cells are painted', () => {
    const painted = table(heading, rows, { paint: (text, _, column) => (column === 2 ? `<${text}>` : text) });
    expect(painted).toContain('12  b                    <stopped>  the platform');
  });
});
