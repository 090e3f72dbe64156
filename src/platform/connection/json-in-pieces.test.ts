import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonInPieces } from './json-in-pieces.ts';

/** Longer than any piece, so that it is taken apart. */
const LONG = 'x'.repeat(300_000);

/** The text in parts, some of them empty, cut wherever it comes out: inside of texts and behind backslashes, too. */
const cut = (text: string, parts: number): string[] => [
  '',
  ...Array.from({ length: parts }, (_, at) =>
    text.slice(Math.floor((at * text.length) / parts), Math.floor(((at + 1) * text.length) / parts)),
  ),
  '',
];

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
          expect(await jsonInPieces(cut(text, 7))).toEqual(JSON.parse(text));
          expect(await jsonInPieces([text])).toEqual(JSON.parse(text));
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
      expect(await outcome(() => jsonInPieces(cut(text, 3))), text.replaceAll(LONG, '…')).toEqual(
        await outcome(() => JSON.parse(text)),
      );
  });

  it('is the same wherever the parts of the text begin', async () => {
    const value = [{ 'a"\\': `\\"${'y'.repeat(140_000)}`, b: [1, 2, '\\'] }, ['"'], 'z'.repeat(140_000)];
    const text = JSON.stringify(value);
    for (let at = 0; at < 24; at += 1)
      for (const place of [at, text.length - at]) {
        const parts = [text.slice(0, place), text.slice(place, place + 1), text.slice(place + 1)];
        expect(await jsonInPieces(parts)).toEqual(value);
      }
  });

  it('says of a text that ends early that it does', async () => {
    for (const text of [`[1,"${LONG}"`, `{"a":["${LONG}",1`, `["${LONG}`])
      await expect(jsonInPieces([text])).rejects.toThrow('Unexpected end of JSON input');
  });

  it('does not say so of a text with something behind its end', async () => {
    for (const text of [`{"a":"${LONG}"} and more`, `["${LONG}"];`, `{"a":["${LONG}"] 1}`, `[1,"${LONG}"}`])
      await expect(jsonInPieces([text])).rejects.toThrow('a part of it is not JSON');
  });

  it('looks through a text a few times only, however deep its brackets are', async () => {
    const levels = 200_000;
    let value = await jsonInPieces([`${'['.repeat(levels)}${']'.repeat(levels)}`]);
    let depth = 0;
    for (; Array.isArray(value); depth += 1) [value] = value as unknown[];
    expect(depth).toBe(levels);
    const objects = await jsonInPieces([`${'{"a":'.repeat(30)}"${LONG}"${'}'.repeat(30)}`]);
    expect(JSON.stringify(objects)).toBe(`${'{"a":'.repeat(30)}"${LONG}"${'}'.repeat(30)}`);
  });

  it('lets others run before each long part, also one that is the only part of its list', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await jsonInPieces([`${'['.repeat(8)}"${LONG}"${']'.repeat(8)}`]);
    clearImmediate(counting);
    expect(turns).toBeGreaterThanOrEqual(8);
  });
});
