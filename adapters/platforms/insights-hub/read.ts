import { BridgeError, contractBroken } from '../../../src/core/errors.ts';
import { formatInstant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { byLink } from '../../../src/platform/paging.ts';
import { aspectIn, mayListAssets, sensors } from './assets.ts';
import type { InsightsHubSettings } from './options.ts';
import { recordSamples } from './records.ts';

/** The points of one window, aspect by aspect. */
export async function* read(
  http: Http,
  options: InsightsHubSettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples> {
  if (selection.sensors === undefined) {
    for await (const { id } of sensors(http, options)) yield* readAspect(http, options, id, window);
  }
  for (const sensor of selection.sensors ?? []) yield* readAspect(http, options, sensor, window);
}

/** `from` lies before the window, because the platform leaves it out (facts.bounds). Without `sort` the order is not documented. */
async function* readAspect(
  http: Http,
  { recordsPerRequest, qualities }: InsightsHubSettings,
  sensor: string,
  { from, to }: Window,
): AsyncGenerator<Samples> {
  const place = aspectIn(sensor);
  if (place === undefined) throw unknownAspect(sensor, 'it is not an id of an asset, "/" and the name of an aspect');
  const path = `/api/iottimeseries/v3/timeseries/${place.assetId}/${encodeURIComponent(place.aspect)}`;
  const question = {
    from: formatInstant(from),
    to: formatInstant(to),
    limit: String(recordsPerRequest),
    sort: 'asc',
  };
  const pages = byLink({
    http,
    what: `records of ${sensor}`,
    first: `${path}?${new URLSearchParams(question).toString()}`,
    ask: async (address) => {
      const { status, data, headers } = await http.get<unknown>(address, { expect: [403, 404] });
      if (status === 403) throw await aspectRefused(http, sensor);
      if (status === 404) throw unknownAspect(sensor, 'the platform answers 404');
      return { samples: recordSamples(sensor, data, qualities), link: nextLink(headers['link'], sensor) };
    },
    next: ({ link }) => link,
  });
  for await (const { samples } of pages) yield* samples;
}

/** The address with `rel="next"` in a header `Link` (RFC 8288); undefined at the end. */
function nextLink(header: unknown, sensor: string): string | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  const links = Array.from(header.matchAll(/<([^>]*)>([^<]*)/g), ([, address = '', rest = '']) => {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(rest) ?? [];
    return { address, relations: (quoted ?? bare ?? '').toLowerCase().split(/\s+/) };
  });
  if (links.length === 0) throw contractBroken(`records of ${sensor}: the header Link holds no link`, header);
  return links.find(({ relations }) => relations.includes('next'))?.address;
}

/** Throws where the client may not read anything, because then the source stops and not this aspect alone. */
async function aspectRefused(http: Http, sensor: string): Promise<BridgeError> {
  await mayListAssets(http);
  return new BridgeError(
    { code: 'contract-broken' },
    `Insights Hub does not let the client read the aspect ${sensor}`,
    {
      remedy: 'give the client the right to read time series of this asset, or take it out of the source',
    },
  );
}

/** An aspect that is gone is not an empty one, because its past would then count as fetched (law 5). */
const unknownAspect = (sensor: string, said: string): BridgeError =>
  new BridgeError({ code: 'contract-broken' }, `Insights Hub knows no aspect ${sensor}: ${said}`, {
    remedy:
      'give the client the asset back, or take it out of the source; it may have been deleted, or have another type now',
  });
