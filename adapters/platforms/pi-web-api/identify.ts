import type { Http } from '../../../src/platform/contract.ts';
import { dataServerOf } from './data-server.ts';
import type { PiOptions } from './options.ts';

/** Asks for the data servers, which only PI Web API has, then for one point of that of the source. */
export async function identify(http: Http, options: PiOptions): Promise<{ product: string }> {
  const { name, webId } = await dataServerOf(http, options);
  await http.get(`/dataservers/${encodeURIComponent(webId)}/points`, {
    params: { maxCount: 1, selectedFields: 'Items.Name' },
  });
  return { product: `PI Web API, data server ${name}` };
}
