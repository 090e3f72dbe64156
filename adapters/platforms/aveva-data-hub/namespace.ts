import { z } from 'zod';
import { BridgeError, rightMissing } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { platformRefusal } from './refusal.ts';
import type { HubOptions } from './options.ts';

export const streamFields = z.object({
  Id: z.string().min(1),
  Name: z.string().nullish(),
  TypeId: z.string().min(1),
});

/** The short form leaves out 0, false and null. */
export const VERBOSE = { 'accept-verbosity': 'verbose' };

export const streamsPath = ({ tenant, namespace }: HubOptions): string =>
  `/api/v1/Tenants/${encodeURIComponent(tenant)}/Namespaces/${encodeURIComponent(namespace)}/Streams`;

export const streamPath = (options: HubOptions, id: string): string =>
  `${streamsPath(options)}/${encodeURIComponent(id)}`;

/** Asks for one stream: whether this is the hub, and whether the credentials may read the namespace. */
export async function expectNamespace(http: Http, options: HubOptions): Promise<void> {
  const { status, data } = await http.get<unknown>(streamsPath(options), {
    params: { query: '*', count: 1 },
    expect: [403, 404],
  });
  const place = `namespace ${options.namespace} of tenant ${options.tenant}`;
  if (status === 403) {
    throw rightMissing(
      `the client may not read ${place}: ${platformRefusal(data)}`,
      'check options.tenant, and let the administrator of the tenant give the client a role that may read the streams of the namespace',
    );
  }
  if (status === 404) {
    throw new BridgeError({ code: 'contract-broken' }, `there is no ${place}: ${platformRefusal(data)}`, {
      remedy: 'check options.tenant, options.namespace, and connection.url: the host of the region, without a path',
    });
  }
  answer(z.array(streamFields), data, 'this is not AVEVA Data Hub: its streams');
}

const discovery = z.object({ token_endpoint: z.url() });

/** A host of the hub's regions (osisoft/OCS-Docs content/api-reference/regional-endpoints.md) that relays its identity service. */
export async function recognise(http: Http): Promise<boolean> {
  const { hostname, origin } = new URL(http.defaults.baseURL ?? '');
  if (!hostname.endsWith('.datahub.connect.aveva.com')) return false;
  const { data } = await http.get<unknown>(`${origin}/identity/.well-known/openid-configuration`);
  return discovery.safeParse(data).success;
}

export async function identify(http: Http, options: HubOptions): Promise<{ product: string }> {
  await expectNamespace(http, options);
  return { product: `AVEVA Data Hub, namespace ${options.namespace}` };
}
