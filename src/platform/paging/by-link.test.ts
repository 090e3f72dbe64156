import axios from 'axios';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byLink } from '../paging.ts';

type Loop = Parameters<typeof byLink<string | null | undefined>>[0];

/** The addresses that are asked where each answer is the link to the next page. */
async function asked(
  links: readonly (string | null | undefined)[],
  more: Partial<Loop> = {},
  baseURL = 'https://plant.example/proxy/api/',
): Promise<string[]> {
  const addresses: string[] = [];
  const loop = byLink<string | null | undefined>({
    what: 'points',
    http: axios.create({ baseURL }),
    first: '/v1/points?size=2',
    ask: async (address) => {
      addresses.push(address);
      return links[addresses.length - 1];
    },
    next: (link) => link,
    ...more,
  });
  for await (const _page of loop);
  return addresses;
}

const BASE = 'https://plant.example/proxy/api';

describe('byLink', () => {
  it.each([
    ['a whole address', `${BASE}/v1/points?page=2`, `${BASE}/v1/points?page=2`],
    ['one outside the base path', 'https://plant.example/other?page=2', 'https://plant.example/other?page=2'],
    ['a query', '?page=2', `${BASE}/v1/points?page=2`],
    ['a relative path', 'points?page=2', `${BASE}/v1/points?page=2`],
    ['a path with the base path', '/proxy/api/v1/points?page=2', `${BASE}/v1/points?page=2`],
    ['a path of a platform that does not know its proxy', '/v1/points?page=2', `${BASE}/v1/points?page=2`],
    ['the name of the same host', '//plant.example/proxy/api/x', `${BASE}/x`],
    ['a fragment', '?page=2#top', `${BASE}/v1/points?page=2`],
  ])('follows %s', async (_what, link, address) => {
    expect(await asked([link])).toEqual([`${BASE}/v1/points?size=2`, address]);
  });

  it('takes a path as it is where the base address has none', async () => {
    expect(await asked(['/v2/x'], {}, 'https://plant.example')).toEqual([
      'https://plant.example/v1/points?size=2',
      'https://plant.example/v2/x',
    ]);
  });

  it('asks another name of the platform at the address of the source', async () => {
    const link = 'http://internal:8080/proxy/api/v1/points?page=2';
    expect(await asked([link, null], { origins: ['http://internal:8080'] })).toEqual([
      `${BASE}/v1/points?size=2`,
      `${BASE}/v1/points?page=2`,
    ]);
  });

  it('gives each page once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), async (pages) => {
        const links = Array.from({ length: pages }, (_, page) => `?page=${page + 1}`);
        expect(await asked(links)).toHaveLength(pages + 1);
      }),
    );
  });

  it.each<[string, readonly string[], RegExp]>([
    ['leads to another origin', ['https://other.example/x'], /leads to https:\/\/other\.example/],
    ['leads to the same host without TLS', ['http://plant.example/proxy/api/x'], /leads to http:/],
    ['leads to another host without a scheme', ['//other.example/x'], /leads to https:\/\/other\.example/],
    ['is empty', [''], /not an address/],
    ['is not an address', ['https://[::1'], /not an address/],
    ['is that of its own page', ['?size=2'], /came before/],
    ['goes in a circle', ['?page=2', '?page=3', '?page=2'], /came before/],
    ['never ends', ['?1', '?2', '?3', '?4', '?5', '?6'], /no end after 5 pages/],
  ])('a link that %s is at fault', async (_what, links, message) => {
    await expect(asked(links, { mostPages: 5 })).rejects.toMatchObject({
      code: 'contract-broken',
      message: expect.stringMatching(message) as string,
    });
  });
});
