import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { BridgeError } from '../core/errors.ts';
import { answer } from './answer.ts';

const devices = z.object({ data: z.array(z.object({ id: z.string(), online: z.boolean() })), hasNext: z.boolean() });

function brokenOf(data: unknown, schema: z.ZodType = devices): { message: string; page: string } {
  try {
    answer(schema, data, 'devices, page 0');
  } catch (error) {
    if (error instanceof BridgeError && error.fault.code === 'contract-broken')
      return { message: error.message, page: error.fault.page ?? '' };
    throw error;
  }
  return expect.fail('it was taken for an answer');
}

describe('answer', () => {
  it('gives the data with its type', () => {
    const found = answer(devices, { data: [{ id: 'a', online: true }], hasNext: false, added: 1 }, 'devices');
    expectTypeOf(found.data).toEqualTypeOf<{ id: string; online: boolean }[]>();
    expect(found).toEqual({ data: [{ id: 'a', online: true }], hasNext: false });
  });

  it.each([
    [
      {
        data: [
          { id: 'a', online: true },
          { id: 1, online: true },
        ],
        hasNext: false,
      },
      'data[1].id: expected string, received number',
    ],
    [{ data: [] }, 'hasNext: expected boolean, received undefined'],
    [null, 'expected object, received null'],
    ['<html>', 'expected object, received string'],
    [undefined, 'expected object, received undefined'],
  ])('names the first field that is wrong: %j', (data, words) => {
    expect(brokenOf(data).message).toBe(`devices, page 0: ${words}`);
  });

  it('shows a short answer whole', () => {
    const data = { data: 'none', hasNext: [1, null, { deep: true }] };
    expect(JSON.parse(brokenOf(data).page)).toEqual(data);
  });

  it('shows few items of a long answer, and no half text', () => {
    const secret = 'never-shown-'.repeat(30);
    const data = { data: Array.from({ length: 500 }, (_, id) => ({ id, name: `pump ${id}`, token: secret })) };
    const { page } = brokenOf(data);
    expect(page).toContain('more');
    expect(page).toContain('360 characters');
    expect(page).not.toContain('never-shown');
  });

  it('keeps any excerpt short, and a secret in it whole or left out', () => {
    const secret = 's3cret-of-the-plant';
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 30 }), fc.nat(300), (value, list, before) => {
        const data = { value, list, text: `${'x'.repeat(before)}${secret}`, [secret]: secret };
        const { page } = brokenOf(data, z.string());
        expect(page.length).toBeLessThanOrEqual(2000);
        expect(page.replaceAll(secret, '')).not.toMatch(/s3cret|plant/);
      }),
    );
  });
});
