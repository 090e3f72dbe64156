import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonInPieces } from './json-in-pieces.ts';

/** Longer than any piece, so that it is taken apart. */
const LONG = 'x'.repeat(300_000);

/** What JSON.parse makes of a text, or its refusal. */
const outcome = async (work: () => unknown): Promise<unknown> => {
  try {
    return { value: await work() };
  } catch (error) {
    return error instanceof SyntaxError ? 'no JSON' : error;
  }
};

describe('JSON in pieces', () => {
  it('is what JSON.parse makes of it, whatever stands beside something long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), fc.constantFrom('', ' \n'), async (one, other, blank) => {
        for (const text of [
          `${blank}[${one},${blank}"${LONG}",${other}]${blank}`,
          `{"a":${one},"${LONG}":[${other}],"__proto__":${one}${blank},"a":${other}}`,
          `[[${Array(3).fill(`{"t":"${LONG}","v":${one}}`).join()}],${other}]`,
        ]) {
          expect(await jsonInPieces(text)).toEqual(JSON.parse(text));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('refuses what JSON.parse refuses', async () => {
    const long = `"${LONG}"`;
    const texts = ['[', ']', '{', '}', ',', ':', '"', '\\"', '1', 'nul', '', ' '].flatMap((part) => [
      `[1,${long}${part}]`,
      `[${part}${long},1]`,
      `{"a":${long}${part}}`,
      `{${part}"a":${long}}`,
      `{"a"${part}:${long},"b":1}`,
      `[1,${long},${part}]`,
      `[1,${long}]${part}`,
      `{"a":${long},${part}}`,
      `{"a":${long},1:${part}}`,
    ]);
    for (const text of texts)
      expect(await outcome(() => jsonInPieces(text)), text.replaceAll(LONG, '…')).toEqual(
        await outcome(() => JSON.parse(text)),
      );
  });

  it('says of a text that ends early that it does', async () => {
    for (const text of [`[1,"${LONG}"`, `{"a":["${LONG}",1`, `["${LONG}`])
      await expect(jsonInPieces(text)).rejects.toThrow('Unexpected end of JSON input');
  });
});
