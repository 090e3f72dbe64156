import { describe, expect, it } from 'vitest';
import { fittingTable } from './fitting.ts';
import type { ShownColumn } from './fitting.ts';

type Row = Readonly<Record<'name' | 'every' | 'lag' | 'fault', string>>;

const columns: readonly ShownColumn<Row>[] = [
  { title: 'name', cell: (row) => row.name, least: 8 },
  { title: 'every', cell: (row) => row.every, drop: 1 },
  { title: 'lag', cell: (row) => row.lag, drop: 2 },
  { title: 'fault', cell: (row) => row.fault, least: 10 },
];
const rows: readonly Row[] = [
  { name: 'a-source-with-a-name', every: '10s', lag: '3d4h', fault: 'the platform refused the password of the user' },
  { name: 'b', every: '1m', lag: '12s', fault: '' },
];
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
const heading = (text: string): string[] => (text.split('\n')[0] ?? '').split(/ +/);

describe('a table on a terminal', () => {
  it('is whole on a pipe and where it fits', () => {
    const whole = fittingTable(columns, rows, undefined);
    expect(whole).toContain('the platform refused the password of the user');
    expect(fittingTable(columns, rows, widest(whole))).toBe(whole);
  });

  it('cuts the last text first and keeps all columns while their least widths fit', () => {
    const cut = fittingTable(columns, rows, 60);
    expect(widest(cut)).toBe(60);
    expect(heading(cut)).toEqual(['name', 'every', 'lag', 'fault']);
    expect(cut).toContain('a-source-with-a-name');
    expect(cut).toMatch(/the platform refused.*…/);
  });

  it('drops columns in their order, then cuts names', () => {
    expect(heading(fittingTable(columns, rows, 30))).toEqual(['name', 'lag', 'fault']);
    const narrow = fittingTable(columns, rows, 22);
    expect(heading(narrow)).toEqual(['name', 'fault']);
    expect(widest(narrow)).toBe(22);
  });

  it.each([20, 40, 60, 80, 120])('never passes a width of %i', (width) => {
    expect(widest(fittingTable(columns, rows, width))).toBeLessThanOrEqual(width);
  });
});
