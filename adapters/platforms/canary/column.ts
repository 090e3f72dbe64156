import { contractBroken } from '../../../src/core/errors.ts';
import { parseInstant } from '../../../src/core/instant.ts';
import type { Quality } from '../../../src/core/quality.ts';
import type { Samples } from '../../../src/platform/contract.ts';

/**
 * The points of one tag: objects `{t, v, q}`, or lists `[t, v, q]` as older services write them. `contract-broken` for another
 * shape, and for a tag that was not asked for.
 */
export function columnOf(tag: string, rows: readonly unknown[], asked: readonly string[]): Samples {
  if (!asked.includes(tag)) throw contractBroken(`points of ${tag}: was not asked for`);
  const [at, values, quality, rawInstants]: [number[], unknown[], Quality[], string[]] = [[], [], [], []];
  for (const row of rows) {
    const [time, value, code] = partsOf(row);
    if (typeof time !== 'string' || value === undefined || typeof code !== 'number')
      throw contractBroken(`points of ${tag}: one is not a time, a value and a quality`, JSON.stringify(row));
    at.push(parseInstant(time) ?? Number.NaN);
    values.push(value);
    quality.push(qualityOf(code));
    rawInstants.push(time);
  }
  const [first] = quality;
  const isEven = first !== undefined && quality.every((one) => one === first);
  return { sensor: tag, variable: 'value', at, values, quality: isEven ? first : quality, rawInstants };
}

function partsOf(row: unknown): readonly unknown[] {
  if (Array.isArray(row)) return row;
  if (typeof row !== 'object' || row === null) return [];
  const { t, v, q } = row as { readonly t?: unknown; readonly v?: unknown; readonly q?: unknown };
  return [t, v, q];
}

const NO_DATA = 32_768;
const PUT_IN_BY_HAND = 216;

/** The part of an OPC quality that says how good the value is: the low byte, of which the two highest bits count. */
function qualityOf(code: number): Quality {
  if (code === NO_DATA) return code;
  const low = code & 0xff;
  return low === PUT_IN_BY_HAND ? low : low & 0xc0;
}
