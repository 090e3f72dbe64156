import { parse } from 'yaml';
import { expect, test } from 'vitest';
import type { Sensor } from '../platform/contract.ts';
import { matchesAmong, sensorsBlock } from './sensor-search.ts';

const shown: readonly Sensor[] = [
  { id: '1', name: 'Pump North', group: 'a' },
  { id: '2', name: 'Fan', group: 'a' },
  { id: 'PUMP-3', group: 'a' },
  // A list that moves while its pages are read shows a sensor twice.
  { id: '1', name: 'Pump North', group: 'a' },
  { id: '1', name: 'Pump South', group: 'b' },
];

/** Counts the sensors that were taken, and whether the walk was ended. */
function walk(): { sensors: AsyncIterable<Sensor>; taken: () => number; ended: () => boolean } {
  let taken = 0;
  let ended = false;
  async function* sensors(): AsyncGenerator<Sensor> {
    try {
      for (const sensor of shown) {
        taken += 1;
        yield await Promise.resolve(sensor);
      }
    } finally {
      ended = true;
    }
  }
  return { sensors: sensors(), taken: () => taken, ended: () => ended };
}

test('id and name are searched, capitals do not matter, and a sensor counts once in each group', async () => {
  const found = await matchesAmong(walk().sensors, { search: 'pUmp', limit: 3 });
  expect(found).toEqual({
    sensors: [shown[0], shown[2], shown[4]],
    complete: true,
    compared: 5,
    examples: ['Pump North', 'Fan', 'PUMP-3'],
  });
});

test('the platform is asked no further than the first match beyond the limit', async () => {
  const { sensors, taken, ended } = walk();
  const found = await matchesAmong(sensors, { search: 'pump', limit: 1 });
  expect(found).toMatchObject({ sensors: [shown[0]], complete: false });
  expect([taken(), ended()]).toEqual([3, true]);
  // The same sensor again is no further match.
  expect(await matchesAmong(walk().sensors, { search: 'pump n', limit: 1 })).toMatchObject({ complete: true });
});

test('ids come back from the block as they are, however they look', () => {
  const ids = ['12', 'true', '- a: b', 'x #y', "it's", 'a'.repeat(300), ' padded '];
  const { yaml, unnameable } = sensorsBlock(ids.map((id) => ({ id, group: id.slice(0, 9), name: 'n' })));
  expect(parse(yaml)).toEqual({ sensors: ids.map((id) => ({ id, group: id.slice(0, 9) })) });
  expect(unnameable).toBe(0);
});

test('a sensor that no source file can name is left out and counted', () => {
  const { yaml, unnameable } = sensorsBlock([{ id: 'a\nb' }, { id: 'c', group: 'g'.repeat(257) }, { id: 'd' }]);
  expect(parse(yaml)).toEqual({ sensors: [{ id: 'd' }] });
  expect(unnameable).toBe(2);
  expect(sensorsBlock([{ id: '' }])).toEqual({ yaml: '', unnameable: 1 });
});
