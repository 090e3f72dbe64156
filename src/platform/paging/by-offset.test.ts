import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byOffset } from '../paging.ts';

interface Page {
  readonly items: readonly number[];
  readonly total?: number | undefined;
}

type Loop = Parameters<typeof byOffset<Page>>[0];

const loopOf = (given: Pick<Loop, 'ask'> & Partial<Loop>) =>
  byOffset<Page>({ what: 'assets', items: ({ items }) => items, size: 3, shortPage: 'no-proof', ...given });

async function all(pages: AsyncIterable<Page>): Promise<number[]> {
  const found: number[] = [];
  for await (const { items } of pages) found.push(...items);
  return found;
}

describe('byOffset', () => {
  it('gives all items once, whatever ends the pages and however small they are', async () => {
    const proofs = fc.constantFrom('total', 'empty page', 'short page');
    const places = fc.constantFrom('offset', 'page');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(60),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(12),
        proofs,
        places,
        async (number, size, less, proof, place) => {
          // The vendor gives fewer items than asked for, where a short page is no proof of the end.
          const given = proof === 'short page' ? size : Math.max(1, size - less);
          const data = Array.from({ length: number }, (_, item) => item);
          const found = all(
            loopOf({
              ask: async ({ offset, page }) => {
                const from = place === 'offset' ? offset : page * given;
                return { items: data.slice(from, from + given), total: proof === 'total' ? number : undefined };
              },
              size,
              shortPage: proof === 'short page' ? 'last' : 'no-proof',
              total: ({ total }) => total,
            }),
          );
          expect(await found).toEqual(data);
        },
      ),
    );
  });

  it('a full page is never the end', async () => {
    const asked: number[] = [];
    const ask = async ({ offset }: { offset: number }): Promise<Page> => {
      asked.push(offset);
      return { items: [0, 1, 2].slice(offset, offset + 3) };
    };
    await all(loopOf({ ask, shortPage: 'last' }));
    expect(asked).toEqual([0, 3]);
  });

  it.each<[string, (offset: number) => Page, RegExp]>([
    ['ends before its total', (offset) => ({ items: offset === 0 ? [1, 2] : [], total: 5 }), /after 2 of 5 items/],
    ['has nothing, but a total', () => ({ items: [], total: 5 }), /after 0 of 5 items/],
    ['gives more than asked for', () => ({ items: [1, 2, 3, 4] }), /4 items, where 3 were asked for/],
    ['repeats itself', () => ({ items: [1, 2, 3] }), /page 2 repeats/],
    ['has a total that is no number of items', () => ({ items: [1], total: -1 }), /total is not a number/],
    ['never ends', (offset) => ({ items: [offset] }), /no end after 5 pages/],
  ])('a platform that %s is at fault', async (_what, answer, message) => {
    const ask = async ({ offset }: { offset: number }): Promise<Page> => answer(offset);
    const found = all(loopOf({ ask, total: ({ total }) => total, mostPages: 5 }));
    await expect(found).rejects.toMatchObject({
      code: 'contract-broken',
      message: expect.stringMatching(message) as string,
    });
  });
});
