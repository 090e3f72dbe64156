import { z } from 'zod';
import { jwtCheck } from '../../../src/simulator/authorisation-server.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedPlatform, SimulatedProduct, SimulatedRequest } from '../../../src/simulator/contract.ts';
import { accountsField, clientsOnly } from '../../../src/simulator/clients.ts';
import { Refused, route, simulate } from '../../../src/simulator/route.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import type { DeviceSpec } from '../../../src/simulator/truth.ts';
import { aspectsOf, assetIdOf, variableOf } from './simulator/aspects.ts';
import { recordFields, recordPages, windowQuestion } from './simulator/records.ts';

const options = z.strictObject({
  /** The authorisation server whose tokens count. */
  authUrl: z.string(),
  audience: z.string().optional(),
  /** The clients that have rights here; unless told, every one of the authorisation server. */
  accounts: accountsField.optional(),
  /** Must be among the scopes of a token, as the product demands `iot.tim.r`. */
  scope: z.string().optional(),
  ...recordFields,
  /** The largest page of assets; the product has lowered it to 200. */
  mostAssets: z.int().min(1).default(200),
});

const pageQuestion = (most: number) =>
  z.strictObject({
    page: z.string().regex(/^\d+$/).default('0').transform(Number),
    size: z.string().regex(/^\d+$/).default('10').transform(Number).pipe(z.int().min(1).max(most)),
    sort: z.enum(['name', 'name,asc', 'name,desc']).optional(),
  });

/** Filters of assets, aggregates and bulk reads are not simulated: they are refused. */
function insightsHub(given: unknown, clock: SimulatedClock): SimulatedPlatform {
  const known = options.parse(given);
  const { authUrl, audience, scope, truth } = known;
  const expected = { ...(audience !== undefined && { audience }), ...(scope !== undefined && { scope }) };
  const tokens = jwtCheck({ authUrl, ...expected }, clock);
  const records = recordPages(known, clock);
  // A truth that the product cannot hold ends here.
  const aspects = new Map(truth.devices.map((device) => [assetIdOf(device), aspectsOf(device)]));
  const paged = pageQuestion(known.mostAssets);

  function deviceOf(asset = '', { badSensors }: Pick<SimulatedRequest, 'badSensors'> = { badSensors: [] }): DeviceSpec {
    const device = truth.devices.find((one) => assetIdOf(one) === asset);
    const as = badSensors.find((bad) => bad.device === device?.id)?.as;
    if (as === 'forbidden') throw new Refused(403, `No rights for the asset ${asset}`);
    if (as === 'broken') throw new Refused(500, 'Internal server error');
    if (!device || as === 'missing') throw new Refused(404, `There is no asset ${asset}`);
    return device;
  }

  const assetOf = (device: DeviceSpec) => ({
    assetId: assetIdOf(device),
    tenantId: 'plant',
    name: device.name,
    typeId: 'plant.machine',
    timezone: 'Europe/Berlin',
  });

  return simulate({
    check: clientsOnly(tokens.check, known.accounts),
    invalidateTokens: tokens.invalidate,
    error: (status, message) => ({ status, body: JSON.stringify({ id: errorId(status), message }) }),
    routes: {
      'GET /api/assetmanagement/v3/assets': route({
        query: paged,
        answer: ({ query }) => halPage('assets', sorted(truth.devices, query.sort).map(assetOf), query),
      }),
      'GET /api/assetmanagement/v3/assets/:asset': route({
        answer: ({ place }) => assetOf(deviceOf(place['asset'])),
      }),
      'GET /api/assetmanagement/v3/assets/:asset/aspects': route({
        query: paged,
        answer({ place, query, request }) {
          const found = aspects.get(assetIdOf(deviceOf(place['asset'], request))) ?? [];
          const items = found.map(({ name, keys }) => ({ name, variables: keys.map(({ key }) => variableOf(key)) }));
          return halPage('aspects', items, query);
        },
      }),
      'GET /api/iottimeseries/v3/timeseries/:asset/:aspect': route({
        query: windowQuestion,
        answer({ place, query, request }) {
          const device = deviceOf(place['asset'], request);
          const aspect = aspects.get(assetIdOf(device))?.find(({ name }) => name === place['aspect']);
          if (!aspect) throw new Refused(404, `The asset has no aspect ${place['aspect']}`);
          return records(device, aspect, query, request);
        },
      }),
    },
  });
}

function sorted(devices: readonly DeviceSpec[], sort: string | undefined): readonly DeviceSpec[] {
  if (sort === undefined) return devices;
  const byName = devices.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return sort === 'name,desc' ? byName.toReversed() : byName;
}

/** A page of HAL. */
function halPage(name: string, items: readonly object[], { page, size }: { page: number; size: number }): object {
  const totalPages = Math.ceil(items.length / size);
  const shown = items.slice(page * size, (page + 1) * size);
  return {
    _embedded: { [name]: shown },
    page: { size, totalElements: items.length, totalPages, number: page },
    _links: {},
  };
}

const ids: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  429: 'tooManyRequests',
};

const errorId = (status: number): string => `mdsp.core.generic.${ids[status] ?? 'internalServerError'}`;

/** Insights Hub (MindSphere) as far as a bridge uses it. */
export const simulatedInsightsHub: SimulatedProduct = {
  platform: 'insights-hub',
  title: 'Insights Hub',
  open: insightsHub,
  sourceOptions: {},
  hasAuthorisationServer: true,
  // Objects are texts, and null is no value.
  holds: ['boolean', 'text', 'state', 'quality', 'unknown-quality', 'NaN'],
  pagesOf: (cap) => ({ source: { recordsPerRequest: cap }, simulator: { mostRecords: cap } }),
  seriesOf(device, key) {
    const aspect = aspectsOf(device).find(({ keys }) => keys.some((one) => one.key.name === key.name));
    return {
      group: '',
      sensorId: `${assetIdOf(device)}/${aspect?.name}`,
      valueName: variableOf(key).name,
    };
  },
};

if (import.meta.main) await runSimulator(simulatedInsightsHub);
