import { expect, it } from 'vitest';
import { BridgeError } from '../../core/errors.ts';
import type { Sensor } from '../../platform/contract.ts';
import type { OpenSource } from '../open/open-source.ts';
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

it.each([
  ['that says its variables', true, ['a', 'b', 'a']],
  ['that does not', false, ['a', 'b']],
])('a sensor that is shown twice is one sensor, on a platform %s', async (_, namesVariables, ids) => {
  const [a, b] = [
    { id: 'a', variables: ['flow'] },
    { id: 'b', variables: ['flow'] },
  ];
  const elsewhere = { id: 'a', group: 'yard', variables: ['flow'] };
  const source = showing('all', [a, b, a, { id: 'a', variables: ['heat'] }, elsewhere], { namesVariables });
  const found: string[] = [];
  const listed = await listSensors(source, undefined as never, async ({ id }) => void found.push(id));
  expect(found).toEqual([...ids, 'a']);
  expect(listed.sensors.map(({ id }) => id)).toEqual(found);
  expect(listed.sensors.at(-1)).toBe(elsewhere);
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

/** A source whose platform shows `given`. Without `namesVariables` the platform tells no variables of a sensor. */
function showing(sensors: unknown, given: readonly Sensor[], { find = false, namesVariables = true } = {}): OpenSource {
  const asked = async function* (): AsyncGenerator<Sensor> {
    yield* given;
  };
  return {
    name: 'source',
    organisation: 'acme',
    config: { sensors },
    platform: { facts: { namesVariables }, sensors: asked, ...(find && { find: asked }) },
  } as unknown as OpenSource;
}

const troubles = async (source: OpenSource) => {
  const { problems, leftOut } = await listSensors(source, undefined as never);
  for (const problem of problems) expect(problem.fault).toEqual({ code: 'config-invalid', path: 'sensors' });
  return { problems: problems.map(({ message, remedy }) => `${message}; ${remedy}`), leftOut: leftOut.length };
};

it('a list with all that a stream needs is taken as it is, and nothing is asked', async () => {
  const grouped = [
    { id: 'a', group: 'hall', as: 'pump' },
    { id: 'z', group: 'yard' },
  ];
  const listed = await listSensors(showing(grouped, [], { namesVariables: false }), undefined as never);
  expect(listed).toEqual({
    sensors: [
      { id: 'a', group: 'hall' },
      { id: 'z', group: 'yard' },
    ],
    problems: [],
    leftOut: [],
  });
  for (const [list, namesVariables] of [
    [grouped, true],
    [[...grouped, { id: 'b' }], false],
    ['all', false],
  ] as const) {
    const asked = await listSensors(showing(list, shown, { namesVariables }), undefined as never);
    expect(asked.sensors.length).toBeGreaterThan(0);
    expect(asked.sensors).toEqual(shown.filter(({ id }) => list === 'all' || list.some((one) => one.id === id)));
  }
});

it('listed sensors that the platform does not show are told, five by name', async () => {
  const missing = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `m${index}` }));
  const examples = 'there are, for example: a ; b ; c';
  const more = [...shown, { id: 'd', group: 'hall' }];
  expect(await troubles(showing([{ id: 'a' }, ...missing(5)], more))).toEqual({
    problems: [`there is no sensor m0, m1, m2, m3, m4 on acme/source; ${examples}`],
    leftOut: 1,
  });
  expect((await troubles(showing(missing(6), more))).problems).toEqual([
    `there is no sensor m0, m1, m2, m3, m4 and 1 more on acme/source; ${examples}`,
  ]);
  const none = await troubles(showing(missing(1), []));
  expect(none.problems.join('')).toContain('the platform shows no sensors at all');
  const searched = await troubles(showing(missing(1), shown, { find: true }));
  expect(searched.problems.join('')).not.toContain('for example');
});

it('a sensor that the platform refuses is told with a remedy, whether the platform has one or not', async () => {
  const refused = new BridgeError({ code: 'contract-broken' }, 'the asset P is refused');
  const { problems } = await troubles(showing('all', [{ id: 'P', refused }]));
  expect(problems).toEqual(['the asset P is refused; the other sensors are read; check the rights of the credentials']);
});

it('variables that would become one series are told until the operator names one of them', async () => {
  const colliding = (id: string): Sensor => ({ id, group: 'hall', variables: ['a b', 'a-b'] });
  const one = await troubles(showing('all', [colliding('p'), { id: 'q', group: 'hall' }]));
  expect(one).toMatchObject({ problems: [expect.stringMatching(/^sensor p: /)], leftOut: 0 });
  expect(one.problems.join('')).not.toContain('more sensors');
  const two = await troubles(showing('all', [colliding('p'), colliding('q'), colliding('r')]));
  expect(two.problems).toEqual([expect.stringMatching(/^sensor p: .*, and so in 2 more sensors; /)]);
  const named = [
    { id: 'p', values: { 'a b': { as: 'ab' } } },
    { id: 'q', values: { 'a b': {} } },
  ];
  expect(await troubles(showing(named, [colliding('p')]))).toMatchObject({
    problems: [expect.stringContaining('there is no sensor q')],
  });
  const both = await troubles(showing(named, [colliding('p'), colliding('q')]));
  expect(both.problems).toEqual([expect.stringMatching(/^sensor q: /)]);
});
