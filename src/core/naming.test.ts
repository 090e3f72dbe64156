import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LONGEST_VALUE_NAME, collisions, toValueName } from './naming.ts';

const variable = fc.string({ unit: fc.constantFrom('a', 'b', '_', ' ', '-', 'é', '😀', '2'), maxLength: 4 });

describe('toValueName', () => {
  test.each([
    ['pressure', 'pressure'],
    ['a b', 'a_b'],
    ['Drehzahl (1/min)', 'Drehzahl__1_min_'],
    ['ÖL', '_L'],
    ['😀', '_'],
    ['', 'none'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), undefined],
  ])('%j → %j', (from, to) => {
    expect(toValueName(from)).toBe(to);
  });

  test('always gives a valid valueName, and leaves a valid one unchanged', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 140 }), (text) => {
        const name = toValueName(text);
        expect(name === undefined).toBe(Array.from(text).length > 128);
        if (name === undefined) return;
        expect(name).toMatch(/^[A-Za-z0-9_]{1,128}$/);
        expect(toValueName(name)).toBe(name);
      }),
      { numRuns: 300 },
    ));
});

describe('collisions', () => {
  test('say which variables share a name, and give a remedy to copy', () => {
    expect(collisions(['a b', 'speed', 'a-b'])).toEqual([
      {
        valueName: 'a_b',
        variables: ['a b', 'a-b'],
        message: '"a b" and "a-b" would all become "a_b"',
        remedy: 'give each a name of its own: values: {"a-b": {as: a_b_2}}',
      },
    ]);
  });

  test('leave the name to the variable that is called so, and suggest no name that is taken', () => {
    const [first] = collisions(['a b', 'a_b', 'a_b_2']);
    expect(first?.remedy).toContain('values: {"a b": {as: a_b_3}}');
  });

  test('give every variable but one a name of its own', () => {
    const [first] = collisions(['a b', 'a-b', 'a+b']);
    expect(first?.message).toBe('"a b" and "a-b" and "a+b" would all become "a_b"');
    expect(first?.remedy).toBe('give each a name of its own: values: {"a-b": {as: a_b_2}, "a+b": {as: a_b_3}}');
  });

  test('of the longest names are renamed to names that are not too long', () => {
    const long = 'a'.repeat(LONGEST_VALUE_NAME - 1);
    const [name] = fixesIn(collisions([`${long} `, `${long}-`])[0]?.remedy ?? '').map(([, each]) => each);
    expect(name).toBe(`${'a'.repeat(LONGEST_VALUE_NAME - 8)}_2`);
  });

  test('are none of names that are too long, because those are refused by themselves', () => {
    const long = 'a'.repeat(LONGEST_VALUE_NAME);
    expect(collisions([`${long} `, `${long}-`])).toEqual([]);
  });

  test('do not count the same variable twice, but count an empty name and "none"', () => {
    expect(collisions(['a', 'a'])).toEqual([]);
    expect(collisions(['', 'none'])[0]?.remedy).toContain('{"": {as: none_2}}');
  });

  test('are exactly the variables that share a name, and following the remedy leaves none', () =>
    fc.assert(
      fc.property(fc.uniqueArray(variable, { maxLength: 12 }), (variables) => {
        const found = collisions(variables);
        const collided = new Set(found.flatMap((each) => each.variables));
        for (const each of variables) {
          const others = variables.filter((other) => other !== each && toValueName(other) === toValueName(each));
          expect(collided.has(each)).toBe(others.length > 0);
        }
        const fixes = new Map(found.flatMap(({ remedy }) => fixesIn(remedy)));
        const names = variables.map((each) => toValueName(fixes.get(each) ?? each));
        expect(new Set(names).size).toBe(variables.length);
      }),
      { numRuns: 500 },
    ));
});

/** The `"variable": {as: name}` pairs of a remedy. */
const fixesIn = (remedy: string): [string, string][] =>
  [...remedy.matchAll(/("(?:[^"\\]|\\.)*"): \{as: (\w+)\}/g)].map((match) => [
    JSON.parse(match[1] ?? '""') as string,
    match[2] ?? '',
  ]);
