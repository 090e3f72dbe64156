import { MINUTE } from '../../../src/core/instant.ts';
import type { Http } from '../../../src/platform/contract.ts';
import type { HttpJsonSettings } from './options.ts';
import { pagesOf } from './pages.ts';
import { sensors } from './sensors.ts';

/**
 * No question is answered by one such API only. The request for the sensors shows whether the address and the credentials are right;
 * where the options list the sensors, the last minute of the first one does.
 */
export async function identify(http: Http, options: HttpJsonSettings): Promise<{ product: string }> {
  const product = 'answers as declared';
  if (options.sensors.request !== undefined) {
    for await (const _ of sensors(http, options)) return { product };
  }
  const { resolution, longestWindow } = options.exactness;
  const step = (instant: number): number => instant - (instant % resolution);
  const to = step(Date.now() * 1000);
  const window = { from: Math.min(to - resolution, step(to - Math.min(MINUTE, longestWindow))), to };
  for await (const _ of pagesOf({ http, options, sensors: options.sensors.list?.slice(0, 1) ?? [], window })) break;
  return { product };
}
