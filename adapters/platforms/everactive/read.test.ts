import { expect, test } from 'vitest';
import { SECOND } from '../../../src/core/instant.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { read } from './read.ts';

const mac = 'bc:5e:a1:00:00:00:00:01';
const selection = { group: undefined, sensors: [mac], variables: undefined };
const window = { from: 100 * SECOND, to: 200 * SECOND };

async function readingsOf(...data: object[]): Promise<unknown[]> {
  const http = { get: async () => ({ status: 200, data: { data } }) } as unknown as Http;
  const found: unknown[] = [];
  for await (const samples of read(http, {}, selection, window)) found.push(samples);
  return found;
}

const reading = (timestamp: number, pressureMeasurement: number, unsolicited?: boolean) => ({
  macAddress: mac,
  timestamp,
  pressureMeasurement,
  ...(unsolicited !== undefined && { unsolicited }),
});

test('a reading that an event brought is labelled, and one that came twice comes twice', async () => {
  const found = await readingsOf(reading(190, 3, false), reading(150, 2, true), reading(110, 1), reading(110, 1));
  expect(found).toEqual([
    {
      sensor: mac,
      variable: 'pressure',
      labels: [],
      at: [190 * SECOND, 110 * SECOND, 110 * SECOND],
      values: [3, 1, 1],
    },
    { sensor: mac, variable: 'pressure', labels: ['unsolicited'], at: [150 * SECOND], values: [2] },
  ]);
});

test.each([
  ['another sensor', { ...reading(150, 1), macAddress: 'bc:5e:a1:00:00:00:00:02' }],
  ['a time before the question', reading(99, 1)],
  ['a time behind the question', reading(201, 1)],
])('readings of %s are no empty window', async (_, given) => {
  await expect(readingsOf(given)).rejects.toMatchObject({ code: 'contract-broken' });
});
