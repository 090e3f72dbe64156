import { z } from 'zod';
import { rightMissing } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { byOffset } from '../../../src/platform/paging.ts';
import type { InsightsHubSettings } from './options.ts';

const ASSETS = '/api/assetmanagement/v3/assets';

/** The largest page since the vendor lowered it from 2,000 (developer.siemens.com …/api-assetmanagement-overview.html). */
const PAGE_SIZE = 200;

const asset = z.object({ assetId: z.string().min(1), name: z.string() });
type Asset = z.output<typeof asset>;

const aspect = z.object({
  name: z.string().min(1),
  category: z.string().optional(),
  variables: z.array(z.object({ name: z.string() })),
});
type Aspect = z.output<typeof aspect>;

const page = z.object({ totalElements: z.int().min(0) });
/** HAL: `_embedded` may be left out of a page without elements. */
const assetPage = z.object({ _embedded: z.object({ assets: z.array(asset) }).optional(), page });
const aspectPage = z.object({ _embedded: z.object({ aspects: z.array(aspect) }).optional(), page });

/** An asset and one of its aspects. */
export interface AspectOfAsset {
  readonly assetId: string;
  readonly aspect: string;
}

/** `<asset id>/<name of the aspect>` */
const sensorIdOf = ({ assetId }: Pick<Asset, 'assetId'>, { name }: Aspect): string => `${assetId}/${name}`;

/** The asset and the aspect of a sensor; undefined where the text is none of them. Asset ids have 32 hexadecimal digits. */
export function aspectIn(sensor: string): AspectOfAsset | undefined {
  const [, assetId, name] = /^([\da-f]{32})\/(.+)$/s.exec(sensor) ?? [];
  return assetId === undefined || name === undefined ? undefined : { assetId, aspect: name };
}

/** Throws where the client may not list assets. */
export async function mayListAssets(http: Http): Promise<void> {
  const { data } = await http.get<unknown>(ASSETS, { params: { page: 0, size: 1, sort: 'name,asc' } });
  answer(assetPage, data, 'assets');
}

/** Every aspect of every asset that may be read: one request for each 200 assets, and one for each asset. */
export async function* sensors(http: Http, options: InsightsHubSettings): AsyncGenerator<Sensor> {
  const pages = byOffset({
    what: 'assets',
    ask: async (place) => {
      // Without an order of its own, a list may change from page to page.
      const { data } = await http.get<unknown>(ASSETS, {
        params: { page: place.page, size: PAGE_SIZE, sort: 'name,asc' },
      });
      return answer(assetPage, data, `assets, page ${place.page}`);
    },
    items: ({ _embedded }) => _embedded?.assets ?? [],
    size: PAGE_SIZE,
    shortPage: 'no-proof',
    total: ({ page: { totalElements } }) => totalElements,
  });
  yield* withoutRefused(assetsIn(pages), (found) => sensorsOf(http, options, found));
}

async function* assetsIn(pages: AsyncIterable<z.output<typeof assetPage>>): AsyncGenerator<Asset> {
  for await (const { _embedded } of pages) yield* _embedded?.assets ?? [];
}

/** Tells of each asset whose aspects may not be listed. Throws its error where that is so of all of several, or of the only one. */
async function* withoutRefused(
  assets: AsyncIterable<Asset>,
  ask: (of: Asset) => AsyncIterable<Sensor>,
): AsyncGenerator<Sensor> {
  const refused: Sensor[] = [];
  let isSome = false;
  for await (const found of assets) {
    try {
      yield* ask(found);
      isSome = true;
    } catch (error) {
      if (!(error instanceof AssetRefused)) throw error;
      refused.push({ id: found.assetId, name: found.name, refused: error.refused });
    }
  }
  const [first] = refused;
  if (first?.refused !== undefined && !isSome) throw first.refused;
  yield* refused;
}

class AssetRefused extends Error {
  readonly refused: BridgeError;

  constructor({ assetId, name }: Asset) {
    super(assetId);
    this.refused = rightMissing(
      `Insights Hub lists the asset ${name} (${assetId}) and does not let the client see its aspects`,
      'give the client the right to this asset, or take the asset from it',
    );
  }
}

/** The sensors with these ids: two requests for each asset. */
export async function* find(http: Http, options: InsightsHubSettings, ids: readonly string[]): AsyncGenerator<Sensor> {
  const wanted = new Set(ids);
  const assetIds = new Set(ids.flatMap((id) => aspectIn(id)?.assetId ?? []));
  async function* assets(): AsyncGenerator<Asset> {
    for (const assetId of assetIds) {
      const { status, data } = await http.get<unknown>(`${ASSETS}/${assetId}`, { expect: [403, 404] });
      // The list of its aspects is refused, too, and that is told.
      if (status === 403) yield { assetId, name: assetId };
      else if (status !== 404) yield answer(asset, data, `asset ${assetId}`);
    }
  }
  for await (const sensor of withoutRefused(assets(), (found) => sensorsOf(http, options, found)))
    if (sensor.refused !== undefined || wanted.has(sensor.id)) yield sensor;
}

/** Aspects of the category `static` have no time series. */
async function* sensorsOf(http: Http, options: InsightsHubSettings, of: Asset): AsyncGenerator<Sensor> {
  const pages = byOffset({
    what: `aspects of asset ${of.assetId}`,
    ask: async (place) => {
      const path = `${ASSETS}/${encodeURIComponent(of.assetId)}/aspects`;
      const { status, data } = await http.get<unknown>(path, {
        params: { page: place.page, size: PAGE_SIZE },
        expect: [403],
      });
      if (status === 403) throw new AssetRefused(of);
      return answer(aspectPage, data, `aspects of asset ${of.assetId}, page ${place.page}`);
    },
    items: ({ _embedded }) => _embedded?.aspects ?? [],
    size: PAGE_SIZE,
    shortPage: 'no-proof',
    total: ({ page: { totalElements } }) => totalElements,
  });
  for await (const { _embedded } of pages) {
    for (const found of _embedded?.aspects ?? []) {
      const isChosen = options.aspects?.includes(found.name) ?? true;
      if (!isChosen || found.category?.toLowerCase() === 'static') continue;
      const variables = found.variables.map(({ name }) => name);
      yield { id: sensorIdOf(of, found), name: `${of.name} ${found.name}`, variables };
    }
  }
}

/** Asks for one asset: the path and the form of the answer are those of this platform alone. */
export async function identify(http: Http): Promise<{ product: string }> {
  const { data } = await http.get<unknown>(ASSETS, { params: { page: 0, size: 1 } });
  const { totalElements } = answer(assetPage, data, 'this is not Insights Hub: its assets').page;
  return { product: `Insights Hub with ${totalElements} ${totalElements === 1 ? 'asset' : 'assets'}` };
}
