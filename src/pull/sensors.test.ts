import { expect, it } from 'vitest';
import { BridgeError } from '../core/errors.ts';
import type { Sensor } from '../platform/contract.ts';
import type { OpenSource } from './open-source.ts';
import { listSensors } from './sensors.ts';

const shown: readonly Sensor[] = ['a', 'b', 'c'].map((id) => ({ id, group: 'hall', variables: ['flow'] }));

function sourceOf(sensors: unknown, asked: unknown[], withFind: boolean): OpenSource {
  const find = async function* (_http: unknown, _options: unknown, ids: readonly string[]): AsyncGenerator<Sensor> {
    asked.push(ids);
    yield* shown.filter(({ id }) => ids.includes(id));
  };
  return {
    name: 'source',
    organisation: 'default',
    config: { sensors },
    platform: {
      facts: { namesVariables: true },
      async *sensors() {
        asked.push('all');
        yield* shown;
      },
      ...(withFind && { find }),
    },
  } as unknown as OpenSource;
}

it('sensors that the platform refuses to show are told once and left out', async () => {
  const source = sourceOf('all', [], false);
  const refused = new BridgeError({ code: 'contract-broken' }, 'the asset P is refused', { remedy: 'give the right' });
  const sensors = async function* (): AsyncGenerator<Sensor> {
    yield* [{ id: 'P', refused }, ...shown, { id: 'Q', refused }];
  };
  const given = { ...source, platform: { ...source.platform, sensors } };
  const found: string[] = [];
  const listed = await listSensors(given, undefined as never, async ({ id }) => void found.push(id));
  expect([found, listed.sensors]).toEqual([['a', 'b', 'c'], shown]);
  expect(listed.leftOut).toEqual(listed.problems);
  expect(listed.problems).toMatchObject([
    { message: 'the asset P is refused, and 1 more; the other sensors are read', remedy: 'give the right' },
  ]);
});

const list = [{ id: 'a' }, { id: 'b', group: 'hall' }, { id: 'b', group: 'yard' }, { id: 'x' }];

it.each([
  ['all of them, where the source takes all', 'all', true, ['a', 'b', 'c'], ['all'], []],
  ['those of its list alone', list, true, ['a', 'b'], [['a', 'b', 'x']], ['check its id']],
  ['all of them, where it cannot find some', list, false, ['a', 'b'], ['all'], ['there are, for example: a ; b ; c']],
] as const)('a platform is asked for %s', async (_, sensors, withFind, found, asked, remedies) => {
  const questions: unknown[] = [];
  const listed = await listSensors(sourceOf(sensors, questions, withFind), undefined as never);
  expect(listed.sensors.map(({ id }) => id)).toEqual(found);
  expect(questions).toEqual(asked);
  expect(listed.problems.map(({ remedy }) => remedy)).toEqual(remedies.map((text) => expect.stringContaining(text)));
});
