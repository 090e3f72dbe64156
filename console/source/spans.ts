/** The ranges of time that a picture of coverage shows, and how they are cut into bins. */
import { fieldOf, instantOfField } from '../client/zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `bin`: the length of a bin, ms; undefined: days of the zone. */
export const SPANS = [
  { key: '1d', length: DAY_MS, bin: HOUR_MS / 4 },
  { key: '7d', length: 7 * DAY_MS, bin: HOUR_MS },
  { key: '30d', length: 30 * DAY_MS, bin: 6 * HOUR_MS },
  { key: '90d', length: 90 * DAY_MS, bin: undefined },
  { key: '365d', length: 365 * DAY_MS, bin: undefined },
] as const;

interface RangeQuery {
  readonly from: string;
  readonly to: string;
  readonly buckets?: number;
  readonly zone?: string;
}

/** The range that ends at `to`, or with the bin of now, on whole bins of the zone. */
export function rangeOf(
  { length, bin }: (typeof SPANS)[number],
  zone: string,
  now: number,
  to: string | undefined,
): { readonly query: RangeQuery } {
  const asked = Number(to ?? now);
  const wanted = Number.isFinite(asked) && asked > 0 ? Math.min(now, asked) : now;
  if (bin === undefined) {
    const day = instantOfField(fieldOf(wanted).slice(0, 10)) ?? wanted;
    const end = instantOfField(fieldOf(day + 36 * HOUR_MS).slice(0, 10)) ?? day + DAY_MS;
    const begin = instantOfField(fieldOf(end - length + 12 * HOUR_MS).slice(0, 10)) ?? end - length;
    return { query: { from: iso(begin), to: iso(end), zone } };
  }
  const midnight = instantOfField(fieldOf(wanted).slice(0, 10)) ?? 0;
  const end = midnight + Math.ceil((wanted - midnight) / bin) * bin;
  return { query: { from: iso(end - length), to: iso(end), buckets: Math.round(length / bin) } };
}

const iso = (at: number): string => new Date(at).toISOString();
