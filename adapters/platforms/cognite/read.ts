import { z } from 'zod';
import { BridgeError, contractBroken } from '../../../src/core/errors.ts';
import { MILLISECOND } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { FailedSensor, Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { byCursor } from '../../../src/platform/paging.ts';
import { mayListSeries } from './identify.ts';
import type { CogniteSettings } from './options.ts';
import { seriesSamples } from './points.ts';
import { pathOf, referenceOf, sensors } from './series.ts';
import type { SeriesName } from './series.ts';

/** Time series in one question, at most (OpenAPI: timeseries/data/list, items). */
export const MOST_SERIES = 100;

/** By default only good points are answered, and uncertain ones count as bad (docs.cognite.com …/reference/status_codes). */
const EVERY_POINT = { includeStatus: true, ignoreBadDataPoints: false, treatUncertainAsBad: false };

const seriesPage = z.object({
  id: z.int(),
  externalId: z.string().optional(),
  type: z.string().optional(),
  datapoints: z.custom<readonly unknown[]>(Array.isArray, 'expected array'),
  nextCursor: z.string().min(1).optional(),
});
const dataAnswer = z.object({ items: z.array(seriesPage) });
type SeriesPage = z.output<typeof seriesPage>;

const refusal = z.object({
  error: z.object({
    message: z.string(),
    missing: z.array(z.object({ id: z.int().optional(), externalId: z.string().optional() })).default([]),
  }),
});

/** Sensors whose points are still to be read, with the cursor of each; none on the first page. */
type Unread = ReadonlyMap<string, string | undefined>;

/** One answer: points of some sensors, sensors that are gone, and the sensors that have more. */
interface Page {
  readonly found: readonly (Samples | FailedSensor)[];
  readonly unread: Unread;
}

/** The points of one window, up to 100 time series in one request. */
export async function* read(
  http: Http,
  options: CogniteSettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples | FailedSensor> {
  const names = selection.sensors ?? (await everyName(http, options));
  const refused = refusedBefore(options);
  const alone = names.filter((name) => refused.has(name));
  const together = names.filter((name) => !refused.has(name));
  const most = Math.min(MOST_SERIES, options.pointsPerRequest);
  for (let begin = 0; begin < together.length; begin += most) {
    yield* readTogether(http, options, together.slice(begin, begin + most), window);
  }
  for (const name of alone) {
    refused.delete(name);
    yield* readTogether(http, options, [name], window);
  }
}

/** By the options of an open source, so that it ends with it: series that this process found refused, so that no batch fails for them again. */
const knownRefused = new WeakMap<CogniteSettings, Set<string>>();

function refusedBefore(options: CogniteSettings): Set<string> {
  const known = knownRefused.get(options) ?? new Set<string>();
  knownRefused.set(options, known);
  return known;
}

async function everyName(http: Http, options: CogniteSettings): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { id } of sensors(http, options)) names.push(id);
  return names;
}

/**
 * The limit of a series stays the same on all pages, because a cursor is given for its question (docs.cognite.com …/pagination).
 * The limits add up to the largest answer at most.
 */
async function* readTogether(
  http: Http,
  options: CogniteSettings,
  names: readonly string[],
  { from, to }: Window,
): AsyncGenerator<Samples | FailedSensor> {
  const limit = Math.floor(options.pointsPerRequest / names.length);
  const question = { start: from / MILLISECOND, end: to / MILLISECOND, limit, ...EVERY_POINT };
  const first: Unread = new Map(names.map((name) => [name, undefined]));
  const pages = byCursor<Page>({
    what: 'Cognite points',
    ask: (cursor) => ask(http, options, question, cursor === undefined ? first : unreadIn(cursor)),
    next: ({ unread }) => (unread.size === 0 ? undefined : cursorOf(unread)),
    ends: ['absent'],
  });
  for await (const { found } of pages) yield* found;
}

/** The cursors of all series as one, so that they cannot come twice together. */
const cursorOf = (unread: Unread): string => JSON.stringify([...unread]);
const unreadIn = (cursor: string | number): Unread => new Map(JSON.parse(String(cursor)) as [string, string][]);

/** Asks for one page. Where the platform refuses it because series are gone, they fail and the others are asked for again. */
async function ask(http: Http, options: CogniteSettings, question: object, asked: Unread): Promise<Page> {
  const items = Array.from(asked, ([sensor, cursor]) => ({
    ...referenceOf(sensor),
    ...(cursor !== undefined && { cursor }),
  }));
  const { status, data } = await http.post<unknown>(
    pathOf(options, 'data/list'),
    { ...question, items },
    { expect: [400, 403] },
  );
  if (status === 200) return pageOf(answer(dataAnswer, data, 'Cognite points').items, asked);

  if (status === 403) return await askApart(http, options, question, asked);
  const { error } = answer(refusal, data, 'Cognite points');
  const missing = new Set(error.missing.map(keyOf));
  const gone = [...asked.keys()].filter((sensor) => missing.has(keyOf(referenceOf(sensor))));
  if (gone.length === 0) throw contractBroken(`Cognite refuses the question for points: ${error.message}`);
  const found = gone.map((sensor) => ({ sensor, failed: unknownSeries(sensor) }));
  const left = new Map([...asked].filter(([sensor]) => !gone.includes(sensor)));
  if (left.size === 0) return { found, unread: left };
  const rest = await ask(http, options, question, left);
  return { found: [...found, ...rest.found], unread: rest.unread };
}

/** The platform refuses all series for one that the client may not read, and does not name it: halves find it. */
async function askApart(http: Http, options: CogniteSettings, question: object, asked: Unread): Promise<Page> {
  await mayListSeries(http, options);
  const [first, ...others] = asked;
  if (first === undefined || others.length === 0) {
    for (const sensor of asked.keys()) refusedBefore(options).add(sensor);
    return { found: [...asked.keys()].map((sensor) => ({ sensor, failed: forbidden(sensor) })), unread: new Map() };
  }
  const middle = Math.ceil(asked.size / 2);
  const found: (Samples | FailedSensor)[] = [];
  const unread = new Map<string, string | undefined>();
  for (const half of [[...asked].slice(0, middle), [...asked].slice(middle)]) {
    const page = await ask(http, options, question, new Map(half));
    found.push(...page.found);
    for (const [sensor, cursor] of page.unread) unread.set(sensor, cursor);
  }
  return { found, unread };
}

const forbidden = (sensor: string): BridgeError =>
  new BridgeError({ code: 'contract-broken' }, `Cognite does not let the client read the time series ${sensor}`, {
    remedy: 'give a group of the client the capability timeSeriesAcl:READ for it, or take it out of the source',
  });

/** Every series that was asked for has to be answered: one that is left out would look empty. */
function pageOf(items: readonly SeriesPage[], asked: Unread): Page {
  const byKey = new Map(items.flatMap((item) => namesOf(item).map((name) => [keyOf(name), item])));
  const pages = Array.from(asked.keys(), (sensor): readonly [string, SeriesPage] => {
    const page = byKey.get(keyOf(referenceOf(sensor)));
    if (page === undefined) throw contractBroken(`Cognite left the time series ${sensor} out of its answer`);
    return [sensor, page];
  });
  return {
    found: pages.map(([sensor, { type, datapoints }]) => seriesSamples(sensor, type, datapoints)),
    unread: new Map(
      pages.flatMap(([sensor, { nextCursor }]) => (nextCursor === undefined ? [] : [[sensor, nextCursor]])),
    ),
  };
}

const namesOf = ({ id, externalId }: SeriesPage): readonly SeriesName[] =>
  externalId === undefined ? [{ id }] : [{ id }, { externalId }];

const keyOf = ({ id, externalId }: { readonly id?: number | undefined; readonly externalId?: string | undefined }) =>
  JSON.stringify([id, externalId]);

/** A series that is gone is not an empty one, because its past would then count as fetched (law 5). */
const unknownSeries = (sensor: string): BridgeError =>
  new BridgeError({ code: 'contract-broken' }, `Cognite knows no time series ${sensor}`, {
    remedy:
      'give the client the right to its data set back, or take it out of the source; it may have been deleted or renamed',
  });
