import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../core/instant.ts';
import { chosenOf, conditionOf, countConditions, lacksTime } from './condition.ts';

const fault = { code: 'unavailable', message: 'no answer', at: '2026-11-21T08:00:00Z' };
const source = (more: Partial<Parameters<typeof conditionOf>[0]> = {}, name = 'a') => ({
  name,
  project: 'pump-hall',
  platform: 'influxdb',
  state: 'active' as const,
  lag: (40 * SECOND) as number | null,
  every: 30 * SECOND,
  overdue: 0,
  streams: 1,
  failures: 0,
  fault: null,
  lookFault: null,
  allRefused: null,
  lastSuccessAt: 0 as number | null,
  requests: { all: name.length },
  ...more,
});

describe('the condition of a source', () => {
  it.each([
    ['well', source()],
    ['well', source({ overdue: MINUTE })],
    ['behind', source({ overdue: MINUTE + SECOND })],
    ['well', source({ every: HOUR, overdue: HOUR })],
    ['failing', source({ failures: 1, fault })],
    ['failing', source({ fault })],
    ['well', source({ fault: { ...fault, own: true } })],
    ['starting', source({ streams: 0, lag: null })],
    ['starting', source({ lastSuccessAt: null })],
    ['starting', source({ lastSuccessAt: null, fault: { ...fault, own: true } })],
    ['failing', source({ lastSuccessAt: null, fault })],
    ['failing', source({ streams: 0, lag: null, lookFault: fault })],
    ['failing', source({ allRefused: 'boolean' })],
    ['failing', source({ allRefused: 'boolean', overdue: 9 * HOUR })],
    ['starting', source({ allRefused: 'boolean', lastSuccessAt: null })],
    ['paused', source({ allRefused: 'boolean', state: 'paused' })],
    ['stopped', source({ state: 'stopped', failures: 1, fault })],
    ['paused', source({ state: 'paused', overdue: 9 * HOUR })],
  ])('%s', (condition, judged) => {
    expect(conditionOf(judged)).toBe(condition);
  });

  it('lacks time where it is overdue, and where it never began', () => {
    expect(lacksTime(source({ state: 'paused', overdue: 9 * HOUR }))).toBe(true);
    expect(lacksTime(source({ failures: 3, fault }))).toBe(false);
    expect(lacksTime(source({ streams: 0, lag: null, lookFault: fault }))).toBe(true);
    expect(lacksTime(source({ streams: 0, lag: null }))).toBe(false);
  });
});

describe('a list of sources', () => {
  const lines = [
    source({}, 'well'),
    source({ lag: 2 * HOUR, overdue: 2 * HOUR }, 'late'),
    source({ state: 'stopped', streams: 0, lag: null, fault, failures: 1 }, 'never'),
    source({ lag: 9 * HOUR, overdue: 9 * HOUR, fault, failures: 4 }, 'later'),
    { ...source({}, 'other'), platform: 'canary', project: 'boilers' },
  ];
  const names = (choice: Partial<Parameters<typeof chosenOf>[1]>) =>
    chosenOf(lines, { sort: 'name', ...choice }).map(({ name }) => name);

  it('is filtered and sorted', () => {
    expect(names({})).toEqual(['well', 'late', 'never', 'later', 'other']);
    expect(names({ behind: true, sort: 'lag' })).toEqual(['never', 'later', 'late']);
    expect(names({ condition: 'behind' })).toEqual(['late']);
    expect(names({ sort: 'requests' })).toEqual(['never', 'later', 'other', 'well', 'late']);
    expect(names({ condition: 'well', platform: 'canary' })).toEqual(['other']);
    expect(names({ project: 'boilers' })).toEqual(['other']);
    expect(names({ text: 'LATE' })).toEqual(['late', 'later']);
  });

  it('is counted, the most frequent condition first', () => {
    expect(countConditions(lines)).toEqual([
      ['well', 2],
      ['behind', 1],
      ['stopped', 1],
      ['failing', 1],
    ]);
  });
});
