import { z } from 'zod';
import { jwtCheck } from '../../../src/simulator/authorisation-server.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedPlatform, SimulatedProduct } from '../../../src/simulator/contract.ts';
import { accountsField, clientsOnly } from '../../../src/simulator/clients.ts';
import { Refused, route, simulate } from '../../../src/simulator/route.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { cognitePages, dataQuestion, pageFields } from './simulator/pages.ts';
import {
  describe,
  externalIdOf,
  lookUp,
  unknownSeries,
  seriesIdentity,
  seriesOfTruth,
  type CogniteSeries,
} from './simulator/series.ts';

const options = z.strictObject({
  /** The authorisation server whose tokens count. */
  authUrl: z.string(),
  audience: z.string().optional(),
  /** The clients that have rights here; unless told, every one of the authorisation server. */
  accounts: accountsField.optional(),
  ...pageFields,
  /** The projects that a token may read; the first one holds the series. */
  projects: z.array(z.string()).min(1).default(['plant']),
  /** False: the token lacks the rights that `token/inspect` needs. */
  mayInspect: z.boolean().default(true),
  /** A page of the list of series may be shorter than its limit: here every first one is. */
  shortPages: z.boolean().default(true),
});

const listQuestion = z.strictObject({
  filter: z.strictObject({ isString: z.boolean(), externalIdPrefix: z.string() }).partial().default({}),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().regex(/^\d+$/).default('0'),
});

const byIdsQuestion = z.strictObject({
  items: z.array(seriesIdentity).min(1).max(1000),
  ignoreUnknownIds: z.boolean().default(false),
});

/** Aggregates, relative times, partitions, `advancedFilter` and `instanceId` are not simulated: they are refused. */
function cognite(given: unknown, clock: SimulatedClock): SimulatedPlatform {
  const known = options.parse(given);
  const { authUrl, audience, projects, truth } = known;
  const tokens = jwtCheck({ authUrl, ...(audience !== undefined && { audience }) }, clock);
  const pages = cognitePages(known, clock);
  const all = seriesOfTruth(truth);

  const seriesOf = (project = ''): readonly CogniteSeries[] => {
    if (!projects.includes(project)) throw new Refused(403, `No access to the project ${project}`);
    return project === projects[0] ? all : [];
  };

  function list(series: readonly CogniteSeries[], { filter, limit, cursor }: z.output<typeof listQuestion>): object {
    const { isString, externalIdPrefix = '' } = filter;
    const found = series
      .filter(({ externalId }) => externalId.startsWith(externalIdPrefix))
      .filter(({ type }) => isString === undefined || isString === (type === 'string'));
    const from = Number(cursor);
    const to = from + (known.shortPages && from === 0 ? Math.ceil(limit / 2) : limit);
    const items = found.slice(from, to).map((one) => describe(one, truth.firstMs));
    return to < found.length ? { items, nextCursor: String(to) } : { items };
  }

  return simulate({
    check: clientsOnly(tokens.check, known.accounts),
    invalidateTokens: tokens.invalidate,
    error: (status, message) => ({ status, body: JSON.stringify({ error: { code: status, message } }) }),
    routes: {
      'GET /api/v1/token/inspect': route({
        answer({ user }) {
          if (!known.mayInspect) throw new Refused(403, 'The token may not list projects and groups');
          const granted = projects.map((projectUrlName) => ({ projectUrlName, groups: [1] }));
          return { subject: user, projects: granted, capabilities: [] };
        },
      }),
      'POST /api/v1/projects/:project/timeseries/list': route({
        body: listQuestion,
        answer: ({ place, body }) => list(seriesOf(place['project']), body),
      }),
      'POST /api/v1/projects/:project/timeseries/byids': route({
        body: byIdsQuestion,
        answer({ place, body }) {
          const { found, missing } = lookUp(body.items, seriesOf(place['project']));
          if (missing.length > 0 && !body.ignoreUnknownIds) return unknownSeries(missing);
          return { items: found.map(({ series }) => describe(series, truth.firstMs)) };
        },
      }),
      'POST /api/v1/projects/:project/timeseries/data/list': route({
        body: dataQuestion,
        answer: ({ place, body, request }) => pages(body, seriesOf(place['project']), request),
      }),
    },
  });
}

/** Cognite Data Fusion as far as a bridge uses it. */
export const simulatedCognite: SimulatedProduct = {
  platform: 'cognite',
  title: 'Cognite Data Fusion',
  open: cognite,
  sourceOptions: { project: 'plant', strings: true },
  hasAuthorisationServer: true,
  // A series of numbers has no states, and objects are texts.
  holds: ['boolean', 'text', 'state', 'quality', 'unknown-quality', 'null', 'NaN'],
  pagesOf: (cap) => ({ source: { pointsPerRequest: cap }, simulator: { mostPoints: cap } }),
  seriesOf: (device, key) => ({ group: '', sensorId: externalIdOf(device, key), valueName: 'value' }),
};

if (import.meta.main) await runSimulator(simulatedCognite);
