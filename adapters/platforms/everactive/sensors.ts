import { z } from 'zod';
import { BridgeError } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { byOffset } from '../../../src/platform/paging.ts';
import type { EveractiveSettings } from './options.ts';
import { measured } from './reading.ts';

const PATH = '/ds/v1/eversensors';

/** The largest page that a client of the vendor asks for (everactive-cli services/everactiveapi.go). */
const PAGE_SIZE = 500;

const sensorPage = z.object({
  data: z.array(
    z.object({
      macAddress: z.string().min(1),
      lastInfo: z.object({ sensorSerialNumber: z.string().nullish() }).nullish(),
      // A sensor that never sent has none.
      lastReading: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
  paginationInfo: z.object({ totalItems: z.int() }),
});
const health = z.object({ ok: z.boolean(), version: z.string() });

export async function identify(http: Http): Promise<{ product: string }> {
  const asked = await http.get<unknown>('/ds/v1/health', { expect: [404] });
  if (asked.status === 404) {
    throw new BridgeError({ code: 'contract-broken' }, 'this is not Everactive: there is no /ds/v1/health', {
      remedy: 'check connection.url: it is https://api.data.everactive.com unless the vendor names another one',
    });
  }
  const { version } = answer(health, asked.data, 'health of Everactive');
  await mayRead(http);
  return { product: `Everactive Data Services ${version}` };
}

/** The cheapest question about data. It fails where the platform refuses all of them, and not one sensor alone. */
export async function mayRead(http: Http): Promise<void> {
  const { data } = await http.get<unknown>(PATH, { params: { page: 1, 'page-size': 1 } });
  answer(sensorPage, data, 'sensors of Everactive');
}

/** Every sensor of the customer: one request for each 500. */
export async function* sensors(http: Http): AsyncGenerator<Sensor> {
  yield* listed(http);
}

/** One request for each id, because a search takes one. */
export async function* find(http: Http, _options: EveractiveSettings, ids: readonly string[]): AsyncGenerator<Sensor> {
  for (const id of ids) {
    for await (const sensor of listed(http, id)) if (sensor.id === id) yield sensor;
  }
}

/** The sensors whose address contains `part`. Without an order, pages would repeat sensors and miss others. */
async function* listed(http: Http, part?: string): AsyncGenerator<Sensor> {
  const pages = byOffset({
    what: 'sensors of Everactive',
    size: PAGE_SIZE,
    shortPage: 'no-proof',
    items: ({ data }: z.output<typeof sensorPage>) => data,
    total: ({ paginationInfo }) => paginationInfo.totalItems,
    async ask({ page }) {
      const params = { page: page + 1, 'page-size': PAGE_SIZE, 'sort-by': 'mac-address', 'sort-dir': 'asc' };
      const { data } = await http.get<unknown>(PATH, {
        params: part === undefined ? params : { ...params, 'mac-address': part },
      });
      return answer(sensorPage, data, `sensors of Everactive, page ${page + 1}`);
    },
  });
  for await (const { data } of pages) {
    for (const { macAddress, lastInfo, lastReading } of data) {
      const name = lastInfo?.sensorSerialNumber;
      yield {
        id: macAddress,
        ...(name ? { name } : {}),
        ...(lastReading ? { variables: measured(lastReading).map(([variable]) => variable) } : {}),
      };
    }
  }
}
