import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformsAt } from '../../src/source/platforms-at.ts';
import { BAD_ANSWERS, startBadServer } from '../../src/source/bad-answers.ts';
import { openGround } from './kit/ground.ts';
import type { Ground } from './kit/ground.ts';
import { subjects } from './kit/subject.ts';
import { NOW, truthOf } from './kit/truths.ts';

// The platforms that say by an unsigned question whether they answer at an address.

const all = subjects();
const grounds = new Map<string, Ground>();

beforeAll(async () => {
  for (const subject of all)
    grounds.set(subject.platform.name, await openGround(subject, { truth: truthOf(subject, []) }));
});

afterAll(async () => {
  for (const ground of grounds.values()) await ground.close();
});

const slot = { inDoubt: true, release: () => undefined };
const pacer = { slot: async () => slot, hold: async () => undefined };

/** The names of the platforms that take this address for theirs. */
async function recognisedAt(url: string): Promise<string[]> {
  const platforms = all.map(({ platform }) => platform);
  const given = { now: () => NOW, signal: new AbortController().signal, allowHosts: undefined };
  const { found } = await platformsAt(url, platforms, given, pacer);
  return found.map(({ name }) => name);
}

/** A host of the hub's regions cannot be simulated, and nothing tells http-json and the others from any API without credentials. */
const SILENT = ['aveva-data-hub', 'cognite', 'everactive', 'http-json', 'insights-hub', 'skf-observer'];

describe('without credentials', () => {
  it.each(all.map(({ platform, product }) => [platform.name, product] as const))(
    'the server of %s is taken for no other platform',
    async (name, product) => {
      const url = `${grounds.get(name)?.simulator.url}${product.path ?? ''}`;
      expect(await recognisedAt(url)).toEqual(SILENT.includes(name) ? [] : [name]);
    },
  );

  it('an answer that no platform gives is taken for none', async () => {
    const server = await startBadServer();
    try {
      for (const [answer, { send }] of Object.entries(BAD_ANSWERS)) {
        server.answer(send);
        expect(await recognisedAt(server.url), answer).toEqual([]);
        expect(await recognisedAt(`${server.url}/piwebapi`), `${answer} at /piwebapi`).toEqual([]);
      }
    } finally {
      await server.close();
    }
  });
});
