import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byCursor } from '../paging.ts';

interface Page {
  readonly items: readonly number[];
  readonly next?: unknown;
}

type Loop = Parameters<typeof byCursor<Page>>[0];

async function all(given: Pick<Loop, 'ask'> & Partial<Loop>): Promise<number[]> {
  const found: number[] = [];
  const loop = byCursor<Page>({ what: 'points', next: ({ next }) => next, ends: ['absent'], ...given });
  for await (const { items } of loop) found.push(...items);
  return found;
}

const ENDS = [
  ['absent', undefined],
  ['null', null],
  ['empty', ''],
] as const;

describe('byCursor', () => {
  it('gives all items once, also where pages are empty', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(), { maxLength: 5 }), { minLength: 1, maxLength: 30 }),
        fc.constantFrom(...ENDS),
        async (pages, [end, last]) => {
          const ask = async (cursor: unknown): Promise<Page> => {
            const page = cursor === undefined ? 0 : Number(cursor);
            return { items: pages[page] ?? [], next: page === pages.length - 1 ? last : `${page + 1}` };
          };
          expect(await all({ ask, ends: [end] })).toEqual(pages.flat());
        },
      ),
    );
  });

  it('sends the cursor that the platform wants for the first page', async () => {
    const asked: unknown[] = [];
    const ask = async (cursor: unknown): Promise<Page> => {
      asked.push(cursor);
      return { items: [], next: asked.length < 3 ? asked.length : null };
    };
    await all({ ask, first: '', ends: ['null'] });
    expect(asked).toEqual(['', 1, 2]);
  });

  it.each(ENDS)('a cursor that is %s ends the pages only where the platform says so', async (end, last) => {
    const ends = ENDS.map(([name]) => name).filter((name) => name !== end);
    await expect(all({ ask: async () => ({ items: [1], next: last }), ends })).rejects.toMatchObject({
      code: 'contract-broken',
      message: `points: the cursor is ${end}, which is no sign of the end on this platform`,
    });
  });

  let turn = 0;
  it.each<[string, (cursor: unknown) => unknown, RegExp]>([
    ['stays the same', () => 'a', /came twice/],
    ['goes in a circle', (cursor) => (cursor === 'a' ? 'b' : 'a'), /came twice/],
    ['never ends', () => (turn += 1), /no end after 5 pages/],
    ['is a mapping', () => ({ next: 'a' }), /neither text nor a whole number/],
    ['is true', () => true, /neither text nor a whole number/],
  ])('a cursor that %s is at fault', async (_what, next, message) => {
    const ask = async (cursor: unknown): Promise<Page> => ({ items: [1], next: next(cursor) });
    await expect(all({ ask, mostPages: 5 })).rejects.toMatchObject({
      code: 'contract-broken',
      message: expect.stringMatching(message) as string,
    });
  });
});
