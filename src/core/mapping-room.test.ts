import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nameRoom, rulesOf } from './mapping.ts';
import type { GivenName, Mapping } from './mapping.ts';

const mapping = { booleans: 'refuse', bad: 'refuse', labels: [], dst: 'earlier' } as const;
const source = { sensors: 'all', mapping } as unknown as Parameters<typeof rulesOf>[0];

/** The table that all processes share: the first variable to store a name holds it. */
function shared(): { confirm(rules: Mapping): void; holders: Map<string, string> } {
  const holders = new Map<string, string>();
  const keyOf = ({ sensorId, valueName }: GivenName): string => `${sensorId} ${valueName}`;
  return {
    holders,
    confirm(rules) {
      const held = rules.unconfirmed().map((name) => {
        if (!holders.has(keyOf(name))) holders.set(keyOf(name), name.holder);
        return { ...name, holder: holders.get(keyOf(name)) ?? '', owned: true };
      });
      rules.confirm(held);
    },
  };
}

it('names that were seen once do not stay in memory for ever', () => {
  const room = nameRoom(1_000);
  const table = shared();
  const sources = [rulesOf(source, { room }), rulesOf(source, { room })];
  for (let window = 0; window < 100; window += 1) {
    for (const rules of sources) {
      const end = rules.beginWindow();
      for (let name = 0; name < 100; name += 1) rules.series(`sensor ${window}`, `value${name}`);
      table.confirm(rules);
      end();
      // Two entries a name: the one of the variable and the one of its name. One window may be on top.
      expect(room.held).toBeLessThanOrEqual(1_000 + 200);
    }
  }
  for (const rules of sources) rules.close();
  expect(room.held).toBe(0);
});

it.each([
  ['that several variables want', ['a b', 'a-b'], true],
  ['of series that belong to another source', ['a b'], false],
] as const)('names %s do not stay in memory for ever', (_, variables, owned) => {
  const room = nameRoom(1_000);
  const rules = rulesOf(source, { room });
  for (let window = 0; window < 100; window += 1) {
    const end = rules.beginWindow();
    const given = (): unknown[] =>
      Array.from({ length: 100 }, (_name, sensor) =>
        variables.map((name) => rules.series(`${window}.${sensor}`, name)),
      );
    given();
    rules.confirm(rules.unconfirmed().map((name) => ({ ...name, owned })));
    const [first, ...others] = variables.map((name) => rules.series(`${window}.0`, name));
    expect(first).toEqual(owned ? expect.objectContaining({ valueName: 'a_b' }) : 'series-of-another');
    expect(others).toEqual(others.map(() => 'name-collision'));
    given();
    end();
    // Three entries a name at most, and one window may be on top.
    expect(room.held).toBeLessThanOrEqual(1_000 + 300);
  }
  rules.close();
  expect(room.held).toBe(0);
});

it('a forgotten name keeps its holder, whichever variable is met next', () => {
  // `a b` and `a-b` both become `a_b`.
  const variable = fc.constantFrom('a b', 'a-b', 'a_b', 'c', 'd', 'e');
  const windows = fc.array(fc.array(variable, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(windows, fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }), (shown, overlaps) => {
      const rules = rulesOf(source, { room: nameRoom(0) });
      const table = shared();
      const open: (() => void)[] = [];
      for (const [place, variables] of shown.entries()) {
        const end = rules.beginWindow();
        // A window is read again until no name of it was corrected.
        for (let reads = 1; ; reads += 1) {
          const before = rules.corrections;
          const given = variables.map((name) => [name, rules.series('pump', name)] as const);
          table.confirm(rules);
          if (rules.corrections !== before) {
            expect(reads).toBeLessThan(5);
            continue;
          }
          for (const [name, rule] of given) {
            const valueName = typeof rule === 'object' ? rule.valueName : undefined;
            const holder = JSON.stringify(['pump', name]);
            if (valueName === undefined) expect(rule).toBe('name-collision');
            else expect(table.holders.get(`pump ${valueName}`)).toBe(holder);
          }
          break;
        }
        // Some windows end only after later ones.
        if (overlaps[place] === true) open.push(end);
        else end();
        if (open.length > 2) open.shift()?.();
      }
    }),
  );
});
