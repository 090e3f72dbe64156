import { expect, test } from 'vitest';
import { parseInstant } from '../../../src/core/instant.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { read } from './read.ts';

const noon = parseInstant('2026-01-01T12:00:00Z') ?? 0;
const window = { from: noon, to: noon + 60_000_000 };
const selection = { group: undefined, sensors: ['77'], variables: undefined };

async function readOf(data: unknown, answerLimit?: number): Promise<unknown[]> {
  const http = { get: async () => ({ status: 200, data }) } as unknown as Http;
  const found: unknown[] = [];
  for await (const samples of read(http, { answerLimit }, selection, window)) found.push(samples);
  return found;
}

const row = (second: string, measurements: object[], more: object = {}) => ({
  ReadingTimeUTC: `2026-01-01T12:00:${second}`,
  PointID: 77,
  Measurements: measurements,
  ...more,
});
const overall = (Direction: string, Level: unknown) => ({
  ChannelName: 'Valor global',
  Direction,
  Level,
  Units: 'mm/s',
});

test('a row holds a value for each channel and direction, and the speed where there is one', async () => {
  const found = await readOf([
    row('01', [overall('X', 1.25), overall('Y', 0)], { Speed: 1480, SpeedUnits: 'rpm' }),
    row('02.5', [overall('X', null)]),
  ]);
  const [first, second] = [noon + 1_000_000, noon + 2_500_000];
  const times = ['2026-01-01T12:00:01', '2026-01-01T12:00:02.5'];
  expect(found).toEqual([
    { sensor: '77', variable: 'Speed', at: [first], values: [1480], rawInstants: times.slice(0, 1) },
    { sensor: '77', variable: 'Valor global X', at: [first, second], values: [1.25, null], rawInstants: times },
    { sensor: '77', variable: 'Valor global Y', at: [first], values: [0], rawInstants: times.slice(0, 1) },
  ]);
});

test('names are read in each style', async () => {
  const camel = {
    readingTimeUTC: '2026-01-01T12:00:01Z',
    pointId: 77,
    measurements: [{ direction: '', channelName: 'Temp', level: 5 }],
  };
  expect(await readOf([camel])).toMatchObject([{ variable: 'Temp', at: [noon + 1_000_000], values: [5] }]);
});

test('a time that is none becomes a refused point with its text', async () => {
  const found = await readOf([{ ...row('01', [overall('X', 1)]), ReadingTimeUTC: 'yesterday' }]);
  expect(found).toMatchObject([{ at: [Number.NaN], rawInstants: ['yesterday'] }]);
});

test('an answer with as many rows as the server gives at most is too much', async () => {
  const rows = [row('01', [overall('X', 1)]), row('02', [overall('X', 2)])];
  await expect(readOf(rows, 2)).rejects.toMatchObject({ code: 'too-much' });
  expect(await readOf(rows, 3)).toHaveLength(1);
});

test.each([
  ['another point', [{ ...row('01', []), PointID: 78 }]],
  ['another day', [{ ...row('01', []), ReadingTimeUTC: '2026-01-02T12:00:00' }]],
  ['no measurements', [{ ReadingTimeUTC: '2026-01-01T12:00:01', PointID: 77 }]],
])('rows of %s are no empty window', async (_, data) => {
  await expect(readOf(data)).rejects.toMatchObject({ code: 'contract-broken' });
});
