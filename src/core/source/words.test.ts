import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { secret } from './fields.ts';
import { formatProblem, problemsOf } from './problems.ts';

/** What an operator is told of the field `a` with this schema and value; undefined leaves it out. */
function told(schema: z.ZodType, value: unknown): readonly string[] {
  const whole = z.strictObject({ a: schema });
  const input = value === undefined ? {} : { a: value };
  return problemsOf(whole.safeParse(input).error?.issues ?? [], whole, input).map(formatProblem);
}

const NO_HELP = 'see the documentation of this field';
const choices = z.enum(['open', 'shut']);
const spelt = z.string().regex(/^a/, 'does not begin with a');
const mode = z.discriminatedUnion('m', [
  z.strictObject({ m: z.literal('push') }),
  z.strictObject({ m: z.literal('pull') }),
]);

describe('an operator is told of a field', () => {
  it.each<[what: string, schema: z.ZodType, value: unknown, line: string]>([
    ['that is missing', z.string(), undefined, 'a: is missing; add a'],
    ['that is missing, its meaning', z.string().describe('A name'), undefined, 'a: is missing; add a: a name'],
    ['an abbreviation as it is', z.string().describe('API name'), undefined, 'a: is missing; add a: API name'],
    ['that is missing, its choices', choices, undefined, 'a: is missing; add a: open, shut'],
    ['that decides others and is missing', mode, {}, 'a.m: is missing; the choices are: push, pull'],
    [
      'that decides others and has a typo',
      mode,
      { m: 'pul' },
      'a.m: is none of the choices; did you mean "pull"? The choices are: push, pull',
    ],
    ['that is empty', z.string(), null, 'a: is empty; give it a value: a'],
    ['that is empty, its meaning', z.string().describe('A name'), null, 'a: is empty; give it a value: a name'],
    ['that may be left out', z.string().optional(), null, 'a: is empty; give it a value or leave the key out'],
    ['that takes text, and got a number', z.string(), 7, 'a: must be text, not 7; put it in quotes'],
    ['that takes text, and got false', z.string(), false, 'a: must be text, not false; put it in quotes'],
    ['that takes text, and got a mapping', z.string(), { b: 1 }, `a: must be text, not a mapping; ${NO_HELP}`],
    ['that takes text, and got a list', z.string(), [1], `a: must be text, not a list; ${NO_HELP}`],
    [
      'that takes a list',
      z.array(z.string()),
      5,
      'a: must be a list, not 5; write each entry on a line of its own, after "- "',
    ],
    [
      'that takes a mapping',
      z.strictObject({ x: z.string(), y: z.string() }),
      5,
      'a: must be a mapping, not 5; its keys are: x, y',
    ],
    [
      'that takes any mapping',
      z.looseObject({}),
      5,
      'a: must be a mapping, not 5; write its keys below it, one a line',
    ],
    ['that takes a mapping of names', z.record(z.string(), z.string()), 5, `a: must be a mapping, not 5; ${NO_HELP}`],
    ['with true in quotes', z.boolean(), 'true', 'a: must be true or false, not "true"; write it without quotes'],
    ['with false in quotes', z.boolean(), 'false', 'a: must be true or false, not "false"; write it without quotes'],
    ['that begins with false', z.boolean(), 'falsely', `a: must be true or false, not "falsely"; ${NO_HELP}`],
    ['that ends with true', z.boolean(), 'untrue', `a: must be true or false, not "untrue"; ${NO_HELP}`],
    ['that takes true, and got 1', z.boolean(), 1, `a: must be true or false, not 1; ${NO_HELP}`],
    ['with a number in quotes', z.number(), '-12.25', 'a: must be a number, not "-12.25"; write it without quotes'],
    ['with a whole number in quotes', z.int(), '12', 'a: must be a number, not "12"; write it without quotes'],
    ['that begins with a number', z.number(), '12a', `a: must be a number, not "12a"; ${NO_HELP}`],
    ['that ends with a number', z.number(), 'a12', `a: must be a number, not "a12"; ${NO_HELP}`],
    ['with a number that does not end', z.number(), '12.', `a: must be a number, not "12."; ${NO_HELP}`],
    [
      'with a number in quotes and letters after its point',
      z.number(),
      '12.x',
      `a: must be a number, not "12.x"; ${NO_HELP}`,
    ],
    ['that takes a number, and got true', z.number(), true, `a: must be a number, not true; ${NO_HELP}`],
    ['examples of it', z.number().meta({ examples: [1, 2] }), 'x', 'a: must be a number, not "x"; write it like 1, 2'],
    ['that takes something else', z.date(), 5, `a: must be date, not 5; ${NO_HELP}`],
    [
      'with a short text, the text',
      z.number(),
      'x'.repeat(60),
      `a: must be a number, not "${'x'.repeat(60)}"; ${NO_HELP}`,
    ],
    ['with a long text, its type', z.number(), 'x'.repeat(61), `a: must be a number, not text; ${NO_HELP}`],
    ['with a fraction', z.int(), 1.5, 'a: 1.5 is not whole; use a whole number'],
    [
      'that is no choice',
      choices,
      'opem',
      'a: "opem" is none of the choices; did you mean "open"? The choices are: open, shut',
    ],
    ['that is no text, without a guess', z.enum(['x', 'y']), 5, 'a: 5 is none of the choices; the choices are: x, y'],
    [
      'that is a secret choice, without its value',
      choices.meta({ secret: true }),
      'opem',
      'a: is none of the choices; did you mean "open"? The choices are: open, shut',
    ],
    ['of a usual form', z.email(), 'x', `a: "x" does not have the right form; ${NO_HELP}`],
    [
      'of a usual form, its meaning',
      z.email().describe('An address'),
      'x',
      'a: "x" does not have the right form; an address',
    ],
    ['of a form of its own', spelt, 'xyz', `a: "xyz" does not begin with a; ${NO_HELP}`],
    [
      'of a form of its own, examples',
      spelt.meta({ examples: ['ab'] }),
      'xyz',
      'a: "xyz" does not begin with a; write it like ab',
    ],
    [
      'of a form of its own, examples and meaning',
      spelt.meta({ examples: ['ab'], description: 'A word' }),
      'xyz',
      'a: "xyz" does not begin with a; write it like ab (a word)',
    ],
    [
      'of a secret form, without its value',
      spelt.meta({ secret: true }),
      'xyz',
      `a: does not begin with a; ${NO_HELP}`,
    ],
    [
      'with a key of another form',
      z.record(spelt, z.string()),
      { b: 'x' },
      `a.b: the key "b" does not begin with a; ${NO_HELP}`,
    ],
    [
      'with a key that is too short',
      z.record(z.string().min(3), z.string()),
      { b: 'x' },
      'a.b: the key is too short; use at least 3 characters',
    ],
    ['that a rule refuses', z.string().refine(() => false), 'x', `a: is not allowed; ${NO_HELP}`],
    [
      'that a rule refuses with a reason',
      z
        .string()
        .refine(() => false, 'is bad')
        .describe('A name'),
      'x',
      'a: is bad; a name',
    ],
    [
      'that a rule refuses with a remedy',
      z.string().refine(() => false, { message: 'is bad', params: { remedy: 'mend it' } }),
      'x',
      'a: is bad; mend it',
    ],
    ['below its least', z.number().min(3), 2, 'a: 2 is too small; use at least 3'],
    ['at a bound that it must exceed', z.number().gt(3), 3, 'a: 3 is too small; use more than 3'],
    ['above its most', z.number().max(3), 4, 'a: 4 is too large; use at most 3'],
    ['at a bound that it must not reach', z.number().lt(3), 3, 'a: 3 is too large; use less than 3'],
    ['with too short a text', z.string().min(3), 'x', 'a: is too short; use at least 3 characters'],
    ['with too long a text', z.string().max(2), 'xxx', 'a: is too long; use at most 2 characters'],
    ['with an empty text', z.string().min(1), '', 'a: is empty; give at least one character'],
    ['with too few entries', z.array(z.string()).min(2), ['x'], 'a: is too short; use at least 2 entries'],
    ['with too many entries', z.array(z.string()).max(2), ['x', 'y', 'z'], 'a: is too long; use at most 2 entries'],
    ['without an entry', z.array(z.string()).min(1), [], 'a: is empty; give at least one entry'],
    ['off its steps', z.number().multipleOf(5), 7, 'a: 7 is not a multiple of 5; use a multiple of 5'],
    ['of several types', z.union([z.string(), z.number()]), true, 'a: may not be true; give text or a number'],
    [
      'of several types with choices',
      z.union([z.literal(['x', 'y']), z.array(z.string()), z.date()]),
      5,
      'a: may not be 5; give x or y or a list or date',
    ],
    ['of several types, and empty', z.union([z.string(), z.number()]), null, 'a: is empty; give text or a number'],
    [
      'of several types that is secret, without its value',
      z.union([z.strictObject({}), z.array(z.string())]).meta({ secret: true }),
      'abc',
      'a: may not be text; give a mapping or a list',
    ],
    [
      'of which a part is wrong',
      z.union([z.strictObject({}), z.array(z.string())]),
      ['x', 5],
      'a[1]: must be text, not 5; put it in quotes',
    ],
    ['that is secret, its type', secret('A key'), 7, 'a: must be text, not a number; put it in quotes'],
    [
      'that is secret and true, its type',
      secret('A key'),
      true,
      'a: must be text, not true or false; put it in quotes',
    ],
  ])('%s', (_, schema, value, line) => {
    expect(told(schema, value)).toStrictEqual([line]);
  });
});
