import { z } from 'zod';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { answer } from '../../../src/platform/answer.ts';
import { byCursor } from '../../../src/platform/paging.ts';
import type { CogniteSettings } from './options.ts';

/** One of the names by which the API takes a time series. `id` is whole and below 2^53. */
export type SeriesName = { readonly id: number } | { readonly externalId: string };

/** Each time series has one signal. */
export const VARIABLE = 'value';

/** Time series of one page, and identifiers in one question for them, at most (OpenAPI: timeseries/list, timeseries/byids). */
const MOST_LISTED = 1000;

const seriesRow = z.object({
  id: z.int(),
  externalId: z.string().optional(),
  name: z.string().optional(),
  isString: z.boolean(),
});
type SeriesRow = z.output<typeof seriesRow>;

const listAnswer = z.object({ items: z.array(seriesRow), nextCursor: z.unknown().optional() });
const byIdsAnswer = z.object({ items: z.array(seriesRow) });

/** The path of a call about the time series of the project. */
export const pathOf = ({ project }: CogniteSettings, call: 'list' | 'byids' | 'data/list'): string =>
  `/api/v1/projects/${encodeURIComponent(project)}/timeseries/${call}`;

const idIn = (sensor: string): number | undefined => {
  const id = Number(/^id:(\d+)$/.exec(sensor)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : undefined;
};

/** The time series that a sensor stands for: `id:42` by its number, any other text by its external id. */
export function referenceOf(sensor: string): SeriesName {
  const id = idIn(sensor);
  return id === undefined ? { externalId: sensor } : { id };
}

/** The external id; `id:` and the number where there is none, or where the external id itself looks like that. */
const sensorIdOf = ({ id, externalId = '' }: SeriesRow): string =>
  externalId === '' || idIn(externalId) !== undefined ? `id:${id}` : externalId;

const sensorOf = (row: SeriesRow): Sensor => ({
  id: sensorIdOf(row),
  ...(row.name !== undefined && { name: row.name }),
  variables: [VARIABLE],
});

/** Every time series that the options choose: one request for each 1,000. */
export async function* sensors(http: Http, options: CogniteSettings): AsyncGenerator<Sensor> {
  const { externalIdPrefix, strings } = options;
  const filter = { ...(externalIdPrefix !== undefined && { externalIdPrefix }), ...(!strings && { isString: false }) };
  const pages = byCursor({
    what: 'Cognite time series',
    ask: async (cursor) => {
      const question = { filter, limit: MOST_LISTED, ...(cursor !== undefined && { cursor }) };
      const { data } = await http.post<unknown>(pathOf(options, 'list'), question);
      return answer(listAnswer, data, 'Cognite time series');
    },
    next: ({ nextCursor }) => nextCursor,
    ends: ['absent'],
  });
  for await (const { items } of pages) yield* items.map(sensorOf);
}

/** Those of `sensors` that have these ids: one request for each 1,000. */
export async function* find(http: Http, options: CogniteSettings, ids: readonly string[]): AsyncGenerator<Sensor> {
  const { externalIdPrefix = '', strings } = options;
  const wanted = [...new Set(ids)];
  for (let begin = 0; begin < wanted.length; begin += MOST_LISTED) {
    const asked = new Set(wanted.slice(begin, begin + MOST_LISTED));
    const question = { items: Array.from(asked, referenceOf), ignoreUnknownIds: true };
    const { data } = await http.post<unknown>(pathOf(options, 'byids'), question);
    for (const row of answer(byIdsAnswer, data, 'Cognite time series by id').items) {
      const isChosen = (row.externalId ?? '').startsWith(externalIdPrefix) && (strings || !row.isString);
      if (isChosen && asked.has(sensorIdOf(row))) yield sensorOf(row);
    }
  }
}
