import { IANAZone } from 'luxon';

/** Time changes of zones, found by the plainest code: for comparison with core/zone.ts. Instants and offsets in µs. */

const MINUTE = 60_000_000;
const DAY_MS = 86_400_000;

/** The offset of a zone at an instant, by the calendar itself. */
export const oracleOffset = (zone: string, at: number): number =>
  Math.round(IANAZone.create(zone).offset(Math.floor(at / 1000)) * MINUTE);

const remembered = new Map<string, readonly number[]>();

/** The instants of a year at which the offset of a zone changes, to the second. It looks once a week, and then closer. */
export function changesIn(zone: string, year: number): readonly number[] {
  const key = `${zone} ${year}`;
  const known = remembered.get(key) ?? searched(zone, year);
  remembered.set(key, known);
  return known;
}

function searched(zone: string, year: number): number[] {
  // oxlint-disable-next-line no-restricted-globals -- a calendar of its own, to compare with
  const first = Date.UTC(year, 0, 1);
  const changes: number[] = [];
  for (let ms = first; ms < first + 366 * DAY_MS; ms += 7 * DAY_MS) {
    let [before, after] = [ms, ms + 7 * DAY_MS];
    const offset = oracleOffset(zone, before * 1000);
    if (oracleOffset(zone, after * 1000) === offset) continue;
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (oracleOffset(zone, middle * 1000) === offset) before = middle;
      else after = middle;
    }
    changes.push(after * 1000);
  }
  return changes;
}

/** The instants whose local time this is, the earliest first: tried with every offset that the zone has in the years around it. */
export function oracleInstants(zone: string, local: number): number[] {
  const year = 1970 + Math.floor(local / 1000 / DAY_MS / 365.2425);
  const changes = [year - 1, year, year + 1].flatMap((each) => changesIn(zone, each));
  const offsets = new Set([local, ...changes, ...changes.map((at) => at - 1000)].map((at) => oracleOffset(zone, at)));
  return [...offsets]
    .map((offset) => local - offset)
    .filter((at) => at + oracleOffset(zone, at) === local)
    .toSorted((one, other) => one - other);
}
