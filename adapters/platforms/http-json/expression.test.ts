import { describe, expect, it } from 'vitest';
import { valuesIn } from './ask.ts';
import { expression } from './expression.ts';

const evaluate = async (code: string, document: unknown): Promise<unknown> => {
  const found = await valuesIn<Record<string, unknown>>(document, { 'sensors.each': code });
  return found['sensors.each'];
};

describe('an expression', () => {
  it('that calls itself without end is ended, and is a fault of the source', async () => {
    const endless = '($f := function($x) { 1 + $f($x) }; $f(1))';
    await expect(evaluate(endless, {})).rejects.toMatchObject({
      code: 'contract-broken',
      message: expect.stringContaining('Stack overflow') as string,
    });
  });

  it.each([
    ['loops', '($f := function($n) { $f($n + 1) }; $f(0))', {}, 's of computing'],
    ['backtracks', '$match(t, /^(a+)+$/)', { t: `${'a'.repeat(40)}b` }, 's of computing'],
    [
      'fills the memory',
      '($f := function($n) { $f($append($n, [1..1000000])) }; $f([]))',
      {},
      'options.sensors.each: took',
    ],
    ['needs a string beyond all memory', '$base64encode($pad("x", 400000000))', {}, 'options.sensors.each: took'],
  ])(
    'that %s is ended, the next one is evaluated, and the fault names the option',
    async (_, code, document, words) => {
      await expect(evaluate(code, document)).rejects.toMatchObject({
        fault: { code: 'too-costly', path: 'options.sensors.each' },
        message: expect.stringContaining(words) as string,
        remedy: expect.stringContaining('options.sensors.each') as string,
      });
      expect(await evaluate('a', { a: 1 })).toBe(1);
    },
    60_000,
  );

  it('that gives what is no data is a fault', async () => {
    await expect(evaluate('function($x) { $x }', {})).rejects.toMatchObject({ code: 'contract-broken' });
  });

  it.each([
    'constructor',
    '__proto__',
    'constructor.constructor("return process")()',
    'toString',
    '$process',
    '$require("fs")',
  ])('reaches nothing but the answer: %s', async (code) => {
    const value: unknown = await evaluate(code, { a: 1 }).catch(() => undefined);
    expect(value).toBeUndefined();
  });

  it('changes nothing for the next one', async () => {
    await evaluate('$ ~> | $ | { "a": 2, "__proto__": { "polluted": 1 } } |', { a: 1 }).catch(() => undefined);
    expect({}).not.toHaveProperty('polluted');
    expect(await evaluate('a', { a: 1 })).toBe(1);
    expect(await evaluate('polluted', {})).toBeUndefined();
  });

  it.each([
    ['a'.concat('.a'.repeat(250)), 'steps'],
    [`${'('.repeat(150)}1${')'.repeat(150)}`, 'brackets'],
    ['a.(', 'is not JSONata'],
  ])('that would take long to compile, or is none, is refused: %s', (code, words) => {
    expect(expression('Any.').safeParse(code).error?.issues[0]?.message).toContain(words);
  });
});
