import { describe, expect, it } from 'vitest';
import { told } from '../../../test/kit/source-example.ts';

/** The fields that an operator is told of. */
const fields = (change: Readonly<Record<string, unknown>>): string[] =>
  told(change).map((line) => line.slice(0, line.indexOf(': ')));

describe('the schedule', () => {
  it('may have windows as short as the platform takes, and as long as their grid', () => {
    expect(told({ schedule: { every: '10s', maxWindow: '1s', overlap: '0s', align: '1s' } })).toEqual([]);
  });

  it('may begin at the registration, and not a moment later', () => {
    const begins = (start: string): readonly string[] => fields({ schedule: { every: '10s', start } });
    expect(begins('2026-11-21T08:00:00Z')).toEqual([]);
    expect(begins('2026-11-21T08:00:00.000001Z')).toEqual(['schedule.start']);
  });
});

describe('the list of sensors', () => {
  it('needs names for sensors whose ids are too long for a sensorId', () => {
    const [short, long] = ['x'.repeat(256), 'x'.repeat(257)];
    expect(fields({ sensors: [{ id: short }, { id: long, as: 'pump' }] })).toEqual([]);
    expect(fields({ sensors: [{ id: 'a' }, { id: long }] })).toEqual(['sensors[1].id']);
  });

  it('needs names for variables that are too long for a valueName', () => {
    const [short, long] = ['x'.repeat(128), 'y'.repeat(129)];
    expect(fields({ sensors: [{ id: 'a', values: { [short]: {}, [long]: { as: 'flow' } } }] })).toEqual([]);
    expect(fields({ sensors: [{ id: 'a', values: { [long]: {} } }] })).toEqual([`sensors[0].values.${long}`]);
  });

  it('may not give the id of a sensor to another one', () => {
    expect(fields({ sensors: [{ id: 'b', as: 'a' }, { id: 'a' }] })).toEqual(['sensors[1].id']);
  });

  it('may give one sensorId to several sensors only where each names its values', () => {
    const [plain, named, other] = [{ as: 'p' }, { as: 'p', values: { x: {} } }, { as: 'p', values: { y: {} } }];
    const pair = (first: object, second: object) =>
      fields({
        sensors: [
          { id: 'a', ...first },
          { id: 'b', ...second },
        ],
      });
    expect(pair(named, other)).toEqual([]);
    for (const [first, second] of [
      [plain, plain],
      [plain, named],
      [named, plain],
    ] as const)
      expect(pair(first, second)).toEqual(['sensors[1].as']);
  });
});

it('labels and days are named once each, and a factor may not be zero', () => {
  const quiet = (days: string[]) => ({ from: '01:00', to: '02:00', zone: 'UTC', days });
  const valued = (choice: object) => ({ sensors: [{ id: 'a', values: { x: choice } }] });
  expect(fields({ mapping: { labels: ['a', 'b'] }, pace: { quietHours: [quiet(['mon', 'tue'])] } })).toEqual([]);
  expect(fields(valued({ scale: -2, labels: ['a', 'b'] }))).toEqual([]);
  expect(fields({ mapping: { labels: ['a', 'a'] } })).toEqual(['mapping.labels']);
  expect(fields({ pace: { quietHours: [quiet(['mon', 'mon'])] } })).toEqual(['pace.quietHours[0].days']);
  expect(fields(valued({ scale: 0, labels: ['a', 'a'] }))).toEqual([
    'sensors[0].values.x.scale',
    'sensors[0].values.x.labels',
  ]);
});
