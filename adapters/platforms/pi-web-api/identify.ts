import { z } from 'zod';
import type { Http } from '../../../src/platform/contract.ts';
import { dataServerOf } from './data-server.ts';
import type { PiOptions } from './options.ts';

const discovery = z.object({ token_endpoint: z.url() });

/**
 * An address that ends in `/piwebapi`, as the vendor installs it, and there either the document of an identity provider, which PI Web API
 * relays (pi-web-api-reference/page/help/topics/bearer-authentication.html), or the demand for a login of HTTP.
 */
export async function recognise(http: Http): Promise<boolean> {
  if (!/\/piwebapi\/?$/i.test(http.defaults.baseURL ?? '')) return false;
  const first = await http.get<unknown>('/.well-known/openid-configuration', { expect: [401, 403, 404] });
  if (discovery.safeParse(first.data).success) return true;
  const { status, headers } = first.status === 401 ? first : await http.get<unknown>('/dataservers', { expect: [401] });
  return status === 401 && headers['www-authenticate'] !== undefined;
}

/** Asks for the data servers, which only PI Web API has, then for one point of that of the source. */
export async function identify(http: Http, options: PiOptions): Promise<{ product: string }> {
  const { name, webId } = await dataServerOf(http, options);
  await http.get(`/dataservers/${encodeURIComponent(webId)}/points`, {
    params: { maxCount: 1, selectedFields: 'Items.Name' },
  });
  return { product: `PI Web API, data server ${name}` };
}
