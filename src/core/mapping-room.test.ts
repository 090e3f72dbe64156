import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

describe('the room for names', () => {
  /** A source that may remember `most` entries. Each name takes two: one of its variable and one of itself. */
  function made(most: number) {
    const room = nameRoom(most);
    const rules = rulesOf(source, { room });
    const confirm = (owned = true): void => rules.confirm(rules.unconfirmed().map((name) => ({ ...name, owned })));
    const meet = (...variables: string[]): unknown[] => variables.map((name) => rules.series('pump', name));
    /** A window that meets these variables. */
    const pass = (...variables: string[]): void => {
      const end = rules.beginWindow();
      meet(...variables);
      confirm();
      end();
    };
    return { room, rules, confirm, meet, pass };
  }

  it('holds the names of all sources, until these are closed', () => {
    const { room, rules, pass, meet } = made(100);
    const other = rulesOf(source, { room });
    pass('a', 'b', 'c');
    expect(room.held).toBe(6);
    meet('d');
    rules.beginWindow()();
    expect(room.held).toBe(8);
    other.series('fan', 'a');
    other.beginWindow();
    expect(room.held).toBe(10);
    rules.close();
    expect(room.held).toBe(2);
    expect(rules.unconfirmed()).toEqual([]);
  });

  it('holds the series of other sources, too', () => {
    const { room, rules, confirm, meet } = made(100);
    const end = rules.beginWindow();
    meet('a');
    confirm(false);
    meet('a');
    end();
    expect(room.held).toBe(3);
  });

  it('takes names until it is full', () => {
    const { room, rules, meet, pass } = made(4);
    pass('a', 'b');
    const before = meet('a', 'b');
    pass('a', 'b');
    expect(room.held).toBe(4);
    expect(meet('a', 'b').every((rule, place) => rule === before[place])).toBe(true);
    expect(rules.unconfirmed()).toEqual([]);
    pass('c');
    expect(room.held).toBe(0);
  });

  it('keeps the names of the windows under way', () => {
    const { room, rules, meet, pass } = made(6);
    pass('a b', 'c', 'd');
    const end = rules.beginWindow();
    const [used] = meet('a b');
    pass('e', 'f');
    expect(room.held).toBe(6);
    expect(meet('a b')[0]).toBe(used);
    expect(meet('a-b')).toEqual(['name-collision']);
    expect(rules.unconfirmed()).toEqual([]);
    meet('c');
    expect(rules.unconfirmed()).toMatchObject([{ valueName: 'c' }]);
    end();
  });

  it('keeps names that several variables want longer than others, with their holders', () => {
    const { room, rules, meet, confirm, pass } = made(7);
    pass('a b', 'a-b', 'c', 'd');
    expect(room.held).toBe(7);
    pass('e');
    expect(room.held).toBe(1);
    const { corrections } = rules;
    expect(meet('a-b', 'a b')).toMatchObject(['name-collision', { valueName: 'a_b' }]);
    expect(rules.unconfirmed()).toEqual([]);
    confirm();
    expect(rules.corrections).toBe(corrections);
  });

  it('keeps a name longer that another process gave to another variable', () => {
    const { room, rules, meet, pass } = made(2);
    const end = rules.beginWindow();
    meet('a b');
    rules.confirm(
      rules.unconfirmed().map((name) => ({ ...name, holder: JSON.stringify(['pump', 'a-b']), owned: true })),
    );
    end();
    pass('c');
    expect(room.held).toBe(1);
    expect(meet('a b')).toEqual(['name-collision']);
  });

  it.each([[['a b']], [['a b', 'a-b']]])('keeps names that no process has confirmed: %j', (variables) => {
    const { rules, meet } = made(0);
    const end = rules.beginWindow();
    meet(...variables);
    end();
    expect(meet('a-b')).toEqual(['name-collision']);
    expect(rules.unconfirmed()).toMatchObject([{ holder: JSON.stringify(['pump', 'a b']) }]);
  });

  it.each([
    ['its holder again', ['a b', 'a-b'], 'a b'],
    ['another variable first', ['a b'], 'a-b'],
  ])('keeps a wanted name for a window under way that met %s', (_, before, variable) => {
    const { rules, meet, pass } = made(3);
    pass(...before);
    const end = rules.beginWindow();
    meet(variable);
    pass('c', 'd', 'e');
    expect(meet('a_b')).toEqual(['name-collision']);
    end();
  });

  it('keeps a series of another source for the window that reads it again', () => {
    const { rules, meet, confirm, pass } = made(0);
    const end = rules.beginWindow();
    meet('a');
    confirm(false);
    pass('b', 'c');
    expect(meet('a')).toEqual(['series-of-another']);
    end();
  });
});
