import { describe, expect, it } from 'vitest';
import { evaluate } from './expression.ts';

describe('an expression', () => {
  it('that calls itself without end is ended, and is a fault of the source', async () => {
    const endless = '($f := function($x) { 1 + $f($x) }; $f(1))';
    await expect(evaluate(endless, {}, 'items')).rejects.toMatchObject({
      code: 'contract-broken',
      message: expect.stringContaining('Stack overflow') as string,
    });
  });

  it.each([
    'constructor',
    '__proto__',
    'constructor.constructor("return process")()',
    'toString',
    '$process',
    '$require("fs")',
  ])('reaches nothing but the answer: %s', async (code) => {
    const value: unknown = await evaluate(code, { a: 1 }, 'items').catch(() => undefined);
    expect(value).toBeUndefined();
  });

  it('changes nothing for the next one', async () => {
    await evaluate('$ ~> | $ | { "a": 2, "__proto__": { "polluted": 1 } } |', { a: 1 }, 'items').catch(() => undefined);
    expect({}).not.toHaveProperty('polluted');
    expect(await evaluate('a', { a: 1 }, 'items')).toBe(1);
  });
});
