import { distort, writeJson, type WrittenPoint } from '../../../../src/simulator/distort.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../../src/simulator/contract.ts';
import { visiblePoints, type DeviceSpec, type Order, type TruthPoint } from '../../../../src/simulator/truth.ts';
import type { ThingsBoardOptions } from './options.ts';
import { wholeNumberParameter, word } from './parameters.ts';
import { badRequest, simulatedError, json } from './replies.ts';

const defaultLimit = 100;

/** The device whose time series are asked for, at the simulator's time `nowMs`. */
interface Place {
  readonly options: ThingsBoardOptions;
  readonly device: DeviceSpec;
  readonly nowMs: number;
}

/** `GET …/keys/timeseries`: the names of the keys that have a point by now. */
export const keyNames = (place: Place): SimulatedAnswer =>
  json(place.device.keys.map(({ name }) => name).filter((name) => latest(place, name).length > 0));

/**
 * `GET …/values/timeseries`: a window, but the latest values if one of `keys`, `startTs`, `endTs` is missing, and always on
 * a server whose old path knows no bounds. Such a server takes `key=` here, too.
 */
export function values(place: Place, request: SimulatedRequest): SimulatedAnswer {
  const { query } = request;
  const isLatest = place.options.oldPath === 'latest';
  const isWindow = !isLatest && ['keys', 'startTs', 'endTs'].every((name) => query.has(name));
  if (isWindow) return window(place, request, splitKeys(query));
  const asked = [...splitKeys(query), ...(isLatest ? query.getAll('key') : [])];
  const keys = asked.length > 0 ? asked : place.device.keys.map(({ name }) => name);
  return answerOf(keys.map((key) => [key, written(place, request, latest(place, key), 'DESC').slice(0, 1)]));
}

/** `GET …/values/timeseries/history`: `startTs` and `endTs` are required; a key with a comma travels as `key=`. */
export function historyAnswer(place: Place, request: SimulatedRequest): SimulatedAnswer {
  const keys = [...splitKeys(request.query), ...request.query.getAll('key')];
  if (keys.length === 0) throw badRequest('Parameter keys is required');
  return window(place, request, keys);
}

function window(place: Place, request: SimulatedRequest, keys: readonly string[]): SimulatedAnswer {
  const { query } = request;
  const { bounds, answerPointsLimit, errorTimestamp } = place.options;
  const startTs = wholeNumberParameter(query, 'startTs');
  const endTs = wholeNumberParameter(query, 'endTs');
  const limit = wholeNumberParameter(query, 'limit', 1, defaultLimit);
  const order = word(query, 'orderBy', ['DESC', 'ASC']);
  // Aggregates are not simulated, so a request for them must not be answered with raw points.
  word(query, 'agg', ['NONE']);
  const shiftMs = bounds === 'legacy' ? 1 : 0;
  const stretch = { fromMs: startTs + shiftMs, toMs: endTs + shiftMs };
  const pages = keys.map((key) => {
    const found = points(place, key, stretch, order, limit);
    return [key, written(place, request, found, order).slice(0, limit)] as const;
  });
  const pointCount = pages.reduce((sum, [, page]) => sum + page.length, 0);
  const isTooLarge = answerPointsLimit > 0 && pointCount > answerPointsLimit;
  return isTooLarge ? simulatedError(503, place.nowMs, errorTimestamp) : answerOf(pages);
}

const latest = (place: Place, key: string): TruthPoint[] =>
  points(place, key, { fromMs: -Infinity, toMs: Infinity }, 'DESC', 1);

function points(
  { options: { truth }, device, nowMs }: Place,
  key: string,
  stretch: { readonly fromMs: number; readonly toMs: number },
  order: Order,
  limit: number,
): TruthPoint[] {
  const found: TruthPoint[] = [];
  for (const point of visiblePoints(truth, device.id, key, stretch, { nowMs, order })) {
    if (found.push(point) === limit) break;
  }
  return found;
}

function written(
  { nowMs }: Place,
  { query, pointEffects }: SimulatedRequest,
  found: readonly TruthPoint[],
  order: Order,
): WrittenPoint[] {
  const strict = word(query, 'useStrictDataTypes', ['false', 'true']) === 'true';
  const page: readonly WrittenPoint[] = strict ? found : found.map(({ ts, value }) => ({ ts, value: asString(value) }));
  return distort(page, pointEffects, nowMs, order);
}

/** Keys without points are absent, so no data at all is `{}`. */
function answerOf(pages: readonly (readonly [string, readonly WrittenPoint[]])[]): SimulatedAnswer {
  return { status: 200, body: writeJson(Object.fromEntries(pages.filter(([, page]) => page.length > 0))) };
}

function splitKeys(query: URLSearchParams): string[] {
  return [...new Set(query.getAll('keys').flatMap((keys) => keys.split(',')))].filter((key) => key !== '');
}

function asString(value: TruthPoint['value']): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
