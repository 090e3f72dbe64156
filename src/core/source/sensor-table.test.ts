import { describe, expect, it } from 'vitest';
import { entriesOf } from './sensor-table.ts';
import type { TableRow } from './sensor-table.ts';

/** Rows in the lines from 2 on, below a heading. */
const rows = (...cells: TableRow['cells'][]): TableRow[] =>
  cells.map((each, index) => ({ line: index + 2, cells: each }));

/** The problems of rows as `LINE COLUMN message`. */
const faults = (...cells: TableRow['cells'][]): string[] =>
  entriesOf(rows(...cells)).problems.map(({ line, column, message }) => `${line} ${column} ${message}`);

describe('rows of a table', () => {
  it('become a list, with one entry for all rows of a tag', () => {
    const { entries, problems } = entriesOf(
      rows(
        { tag: 'P1', variable: 'x', group: 'hall', sensorId: 'pump', valueName: 'flow', scale: 2, offset: -1 },
        { tag: 'P2' },
        { tag: 'P1', variable: 'y', group: 'hall', sensorId: 'pump', unit: 'bar', labels: ['l'], states: { On: 1 } },
        { tag: 'P3', scale: 3 },
        { tag: 'P4', variable: 'z' },
      ),
    );
    expect(problems).toEqual([]);
    expect(entries).toStrictEqual([
      {
        id: 'P1',
        as: 'pump',
        group: 'hall',
        values: { x: { as: 'flow', scale: 2, offset: -1 }, y: { unit: 'bar', labels: ['l'], states: { On: 1 } } },
      },
      { id: 'P2' },
      { id: 'P3', values: { value: { scale: 3 } } },
      { id: 'P4', values: { z: {} } },
    ]);
  });

  it('have names of text alone; the rest is left to the rules of the list', () => {
    const { entries, problems } = entriesOf(
      rows(
        { tag: 'a', sensorId: 5, variable: 7 },
        { tag: 'b', sensorId: 5 },
        { tag: 'c', sensorId: '' },
        { tag: 'd', sensorId: '' },
      ),
    );
    expect(problems).toEqual([]);
    expect(entries).toStrictEqual([
      { id: 'a', as: 5, values: { value: {} } },
      { id: 'b', as: 5 },
      { id: 'c', as: '' },
      { id: 'd', as: '' },
    ]);
  });

  it('need the identifier of the sensor', () => {
    expect(faults({ tag: '' }, {}, { tag: 7 }, { tag: 'a' })).toEqual([
      '2 tag is empty',
      '3 tag is empty',
      '4 tag is not text',
    ]);
  });

  it('have one variable each', () => {
    expect(faults({ tag: 'a' }, { tag: 'a' })).toEqual(['3 tag "a" stands in line 2, too']);
    expect(faults({ tag: 'a', scale: 2 }, { tag: 'a', scale: 3 })).toEqual(['3 tag "a" stands in line 2, too']);
    expect(faults({ tag: 'a', variable: 'x' }, { tag: 'a', variable: 'x' })).toEqual([
      '3 tag "a" with the variable "x" stands in line 2, too',
    ]);
    expect(faults({ tag: 'a', variable: 'x' }, { tag: 'a' })).toEqual(['3 tag "a" stands in line 2, too']);
    expect(faults({ tag: 'a' }, { tag: 'a', variable: 'x' })).toEqual([
      '3 tag "a" with the variable "x" stands in line 2, too',
    ]);
    expect(faults({ tag: 'a', variable: 'x' }, { tag: 'a', variable: 'y' })).toEqual([]);
  });

  it('of one tag have one sensorId and one group', () => {
    const first = { tag: 'a', variable: 'x', sensorId: 'p', group: 'g' };
    expect(faults(first, { ...first, variable: 'y', sensorId: 'q' })).toEqual([
      '3 sensorId is another one than in line 2',
    ]);
    expect(faults(first, { ...first, variable: 'y', group: 'h' })).toEqual(['3 group is another one than in line 2']);
  });

  it('of several tags share a sensorId only where each names its values', () => {
    const [plain, named] = [{ sensorId: 'p' }, { sensorId: 'p', valueName: 'v' }];
    const shared = '3 sensorId "p" is also the sensorId of line 2';
    expect(faults({ tag: 'a', ...plain }, { tag: 'b', ...plain })).toEqual([shared]);
    expect(faults({ tag: 'a', ...named }, { tag: 'b', ...plain })).toEqual([shared]);
    expect(faults({ tag: 'a', ...plain }, { tag: 'b', ...named })).toEqual([shared]);
    expect(faults({ tag: 'a', ...named }, { tag: 'b', ...named, valueName: 'w' })).toEqual([]);
    expect(faults({ tag: 'a', ...plain }, { tag: 'p' })).toEqual([shared]);
  });

  it('give each series once, and name the first row of it', () => {
    const named = { sensorId: 'p', valueName: 'v' };
    const twin = (line: number): string =>
      `${line} valueName sensorId "p" with valueName "v" is also the name of line 2`;
    expect(faults({ tag: 'a', ...named }, { tag: 'b', ...named }, { tag: 'c', ...named })).toEqual([twin(3), twin(4)]);
    // Without a valueName it follows from the variable.
    const spelt = (variable: string) => ({ tag: variable, sensorId: 'p', variable });
    expect(faults(spelt('a b'), spelt('a-b'))).toEqual([
      '3 valueName sensorId "p" with valueName "a_b" is also the name of line 2',
    ]);
    expect(faults(spelt('x'.repeat(129)), spelt('y'.repeat(129)))).toEqual([]);
  });

  it('are told with long names cut', () => {
    const [short, long] = ['x'.repeat(60), 'x'.repeat(61)];
    expect(faults({ tag: short }, { tag: short })).toEqual([`3 tag "${short}" stands in line 2, too`]);
    expect(faults({ tag: long }, { tag: long })).toEqual([`3 tag "${'x'.repeat(57)}…" stands in line 2, too`]);
  });

  it('each come with a remedy', () => {
    const { problems } = entriesOf(rows({}, { tag: 'a' }, { tag: 'a' }, { tag: 'b', sensorId: 'a' }));
    expect(problems.map(({ remedy }) => remedy !== '')).toEqual([true, true, true]);
  });
});

it('a path of the source leads to its row and column', () => {
  const { locate } = entriesOf(
    rows({ tag: 'a' }, {}, { tag: 'b', variable: 'x', scale: 2 }, { tag: 'b', variable: 'y.z', unit: 'bar' }),
  );
  expect(locate('sensors[0]')).toEqual({ line: 2, column: '' });
  expect(locate('sensors[1].id')).toEqual({ line: 4, column: 'tag' });
  expect(locate('sensors[1].as')).toEqual({ line: 4, column: 'sensorId' });
  expect(locate('sensors[1].group')).toEqual({ line: 4, column: 'group' });
  expect(locate('sensors[1].values.x')).toEqual({ line: 4, column: 'variable' });
  const columns = {
    as: 'valueName',
    scale: 'scale',
    offset: 'offset',
    unit: 'unit',
    labels: 'labels',
    states: 'states',
  };
  for (const [key, column] of Object.entries(columns))
    expect(locate(`sensors[1].values["y.z"].${key}`)).toEqual({ line: 5, column });
  expect(locate('sensors[1].values.x.other')).toEqual({ line: 4, column: '' });
  for (const path of ['sensors[2].id', 'sensors', 'mapping[0].id', 'schedule.every', 'a['])
    expect(locate(path)).toBeUndefined();
});
