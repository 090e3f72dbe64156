import { contractBroken } from '../../../src/core/errors.ts';
import { fromMillis } from '../../../src/core/instant.ts';
import { state } from '../../../src/core/samples.ts';
import type { Samples } from '../../../src/core/samples.ts';
import { VARIABLE } from './series.ts';

/** A point as it came. `timestamp` is in milliseconds since 1970; a good point has no `status`. */
interface Datapoint {
  readonly timestamp: number;
  readonly value?: unknown;
  readonly status?: { readonly code: number };
  readonly numericValue?: unknown;
  readonly stringValue?: unknown;
}

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null;

function isDatapoint(given: unknown): given is Datapoint {
  if (!isObject(given) || !Number.isSafeInteger(given['timestamp'])) return false;
  const { status } = given;
  return status === undefined || (isObject(status) && isStatusCode(status['code']));
}

const isStatusCode = (code: unknown): boolean => Number.isInteger(code) && (code as number) >>> 0 === code;

/** The two highest bits of an OPC UA status say how good a value is. */
const categoryOf = ({ status }: Datapoint): number => (status === undefined ? 0 : status.code >>> 30);

/**
 * The points of one time series as samples, with the category of their status as quality. A bad point may have no value, or a
 * word such as "NaN"; the bridge refuses both. `contract-broken` for a point without an instant, and for a status without a code.
 */
export function seriesSamples(sensor: string, type: string | undefined, datapoints: readonly unknown[]): Samples {
  const at: number[] = [];
  const values: unknown[] = [];
  const categories: number[] = [];
  let allGood = true;
  for (const point of datapoints) {
    if (!isDatapoint(point)) {
      throw contractBroken(
        `points of ${sensor}: not a point with \`timestamp\``,
        (JSON.stringify(point) ?? '').slice(0, 500),
      );
    }
    const category = categoryOf(point);
    allGood &&= category === 0;
    at.push(fromMillis(point.timestamp));
    values.push(type === 'state' ? stateIn(point) : point.value);
    categories.push(category);
  }
  return { sensor, variable: VARIABLE, at, values, quality: allGood ? 0 : categories };
}

/**
 * A point of a state series has a number and a text, or one of them. How it is answered is documented for writing alone, so `value`
 * counts, too. A state without a text has its number as name.
 */
function stateIn({ value, numericValue = value, stringValue }: Datapoint): unknown {
  const code = typeof numericValue === 'number' ? numericValue : undefined;
  if (typeof stringValue === 'string') return state(stringValue, code);
  if (typeof numericValue === 'string') return state(numericValue);
  return code === undefined ? value : state(String(code), code);
}
