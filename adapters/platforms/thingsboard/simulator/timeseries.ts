import { distort, writeJson, type WrittenPoint } from '../../../../src/simulator/distort.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../../src/simulator/contract.ts';
import { visiblePoints, type DeviceSpec, type Order, type TruthPoint } from '../../../../src/simulator/truth.ts';
import type { ThingsBoardOptions } from './options.ts';
import { requiredWholeNumber, wholeNumberParameter, word } from './parameters.ts';
import { badRequest, simulatedError, json } from './replies.ts';

const defaultLimit = 100;

/** Answers requests for the time series of one device, from the truth that is visible at `nowMs`. */
export class TimeSeries {
  readonly #options: ThingsBoardOptions;
  readonly #device: DeviceSpec;
  readonly #nowMs: number;

  constructor(options: ThingsBoardOptions, device: DeviceSpec, nowMs: number) {
    this.#options = options;
    this.#device = device;
    this.#nowMs = nowMs;
  }

  /** `GET …/keys/timeseries`: the names of the keys that have a point by now. */
  keys(): SimulatedAnswer {
    return json(this.#device.keys.map(({ name }) => name).filter((name) => this.#latest(name).length > 0));
  }

  /** `GET …/values/timeseries`: a window, but the latest values if one of `keys`, `startTs`, `endTs` is missing. */
  values(request: SimulatedRequest): SimulatedAnswer {
    const isWindow = ['keys', 'startTs', 'endTs'].every((name) => request.query.has(name));
    return isWindow ? this.window(request, splitKeys(request.query)) : this.#latestValues(request);
  }

  /** `GET …/values/timeseries/history`: `startTs` and `endTs` are required; a key with a comma travels as `key=`. */
  history(request: SimulatedRequest): SimulatedAnswer {
    const keys = [...splitKeys(request.query), ...request.query.getAll('key')];
    if (keys.length === 0) throw badRequest('Parameter keys is required');
    return this.window(request, keys);
  }

  window(request: SimulatedRequest, keys: readonly string[]): SimulatedAnswer {
    const { query } = request;
    const startTs = requiredWholeNumber(query, 'startTs');
    const endTs = requiredWholeNumber(query, 'endTs');
    const limit = wholeNumberParameter(query, 'limit', 1) ?? defaultLimit;
    const order = word(query, 'orderBy', ['DESC', 'ASC']);
    word(query, 'agg', ['NONE']); // Aggregates are not simulated, so a request for one must not be answered with raw points.
    const shiftMs = this.#options.bounds === 'legacy' ? 1 : 0;
    const pages = keys.map((key) => {
      const points = this.#points(key, startTs + shiftMs, endTs + shiftMs, order, limit);
      return [key, this.#written(request, points, order).slice(0, limit)] as const;
    });
    const pointCount = pages.reduce((sum, [, points]) => sum + points.length, 0);
    const { answerPointsLimit, errorTimestamp } = this.#options;
    if (answerPointsLimit > 0 && pointCount > answerPointsLimit)
      return simulatedError(503, this.#nowMs, errorTimestamp);
    return answerOf(pages);
  }

  #latestValues(request: SimulatedRequest): SimulatedAnswer {
    const keys = request.query.has('keys') ? splitKeys(request.query) : this.#device.keys.map(({ name }) => name);
    return answerOf(keys.map((key) => [key, this.#written(request, this.#latest(key), 'DESC').slice(0, 1)]));
  }

  #latest(key: string): TruthPoint[] {
    return this.#points(key, -Infinity, Infinity, 'DESC', 1);
  }

  #points(key: string, fromMs: number, toMs: number, order: Order, limit: number): TruthPoint[] {
    const { truth } = this.#options;
    const found: TruthPoint[] = [];
    for (const point of visiblePoints(truth, this.#device.id, key, { fromMs, toMs }, { nowMs: this.#nowMs, order })) {
      if (found.push(point) === limit) break;
    }
    return found;
  }

  #written({ query, pointEffects }: SimulatedRequest, points: TruthPoint[], order: Order): WrittenPoint[] {
    const strict = word(query, 'useStrictDataTypes', ['false', 'true']) === 'true';
    const written = strict ? points : points.map(({ ts, value }) => ({ ts, value: asString(value) }));
    return distort(written, pointEffects, this.#nowMs, order);
  }
}

/** Keys without points are absent, so no data at all is `{}`. */
function answerOf(pages: (readonly [string, readonly WrittenPoint[]])[]): SimulatedAnswer {
  return { status: 200, body: writeJson(Object.fromEntries(pages.filter(([, points]) => points.length > 0))) };
}

function splitKeys(query: URLSearchParams): string[] {
  return [...new Set(query.getAll('keys').flatMap((keys) => keys.split(',')))].filter((key) => key !== '');
}

function asString(value: TruthPoint['value']): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
