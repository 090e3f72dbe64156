import { z } from 'zod';
import { BridgeError } from '../../../src/core/errors.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { byCursor } from '../../../src/platform/paging.ts';
import { good, goodForAll } from './answer.ts';
import { separately } from './batch.ts';
import type { CanarySettings } from './options.ts';

const tagPage = z.object({ tags: z.array(z.string()), continuation: z.unknown() });
const properties = z.object({ properties: z.record(z.string(), z.unknown()) });

/** The default of the product. */
const PAGE_SIZE = 10_000;

/** Ours: the body of a question stays short. */
const TAGS_PER_QUESTION = 100;

async function tagsOf(
  http: Http,
  { path = '' }: Pick<CanarySettings, 'path'>,
  { maxSize, continuation = null }: { readonly maxSize: number; readonly continuation?: unknown },
): Promise<z.output<typeof tagPage>> {
  const question = { path, deep: true, maxSize, continuation };
  const asked = await http.post<unknown>('/api/v2/browseTags', question, { expect: [404] });
  if (asked.status === 404) {
    throw new BridgeError({ code: 'contract-broken' }, 'this is not Canary: there is no /api/v2/browseTags', {
      remedy: 'check connection.url: it is the address of the Views service, as a rule https://host:55236',
    });
  }
  return goodForAll(tagPage, asked.data, 'tags of Canary');
}

/** The cheapest question about data. It fails where the product refuses all of them, and not one tag alone. */
export const mayBrowse = async (http: Http, options: CanarySettings): Promise<void> =>
  void (await tagsOf(http, options, { maxSize: 1 }));

const timeZones = z.object({ timeZones: z.array(z.string()).min(1) });

/** Asks for the time zones, which takes no token (CanaryLabs/SampleCode, data_retrieval_documentation.html). */
export async function recognise(http: Http): Promise<boolean> {
  const { data } = await http.post<unknown>('/api/v2/getTimeZones', {});
  good(timeZones, data, 'time zones of Canary');
  return true;
}

export async function identify(http: Http, options: CanarySettings): Promise<{ product: string }> {
  await mayBrowse(http, options);
  return { product: 'Canary Views, Read API 2' };
}

const sensorOf = (tag: string): Sensor => ({ id: tag, variables: ['value'] });

/** Every tag: one request for each 10,000. */
export async function* sensors(http: Http, options: CanarySettings): AsyncGenerator<Sensor> {
  const pages = byCursor({
    what: 'tags of Canary',
    ends: ['null'],
    ask: (continuation) => tagsOf(http, options, { maxSize: PAGE_SIZE, continuation }),
    next: ({ continuation }) => continuation,
  });
  for await (const { tags } of pages) for (const tag of tags) yield sensorOf(tag);
}

/** One request for each 100 tags, and a few for each that is not there. */
export async function* find(http: Http, options: CanarySettings, ids: readonly string[]): AsyncGenerator<Sensor> {
  async function* ask(tags: readonly string[]): AsyncGenerator<Sensor> {
    const { data } = await http.post<unknown>('/api/v2/getTagProperties', { tags });
    const known = good(properties, data, 'properties of tags').properties;
    for (const tag of tags) if (Object.hasOwn(known, tag)) yield sensorOf(tag);
  }
  for (let begin = 0; begin < ids.length; begin += TAGS_PER_QUESTION) {
    yield* separately(ids.slice(begin, begin + TAGS_PER_QUESTION), ask, async () => {
      await mayBrowse(http, options);
      return undefined;
    });
  }
}
