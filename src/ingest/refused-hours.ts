import type { RefusedSeries } from '../core/batch.ts';
import { HOUR } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { printable } from '../database/printable.ts';

/** Names of refused points are cut, because they may have any length and an index row of PostgreSQL may not. */
const LONGEST_NAME = 256;

const HALF_HOUR = HOUR / 2;

/** The refused points of one variable, reason and hour, as `REFUSED` takes them. */
export interface RefusedHour {
  /** Its begin, µs. */
  readonly hour: Instant;
  readonly sensor: string;
  readonly variable: string;
  readonly reason: string;
  /** µs from the middle of the hour, so that each is a 4-byte integer; ascending. */
  readonly points: readonly number[];
  /** At most three points with their values. */
  readonly examples: readonly (readonly [point: number, raw: string])[];
}

/** The refused points of a window as rows, one for each variable, reason and hour of the points. */
export function refusedHours(refusals: readonly RefusedSeries[]): RefusedHour[] {
  const rows = new Map<string, RefusedHour & { points: number[]; examples: [number, string][] }>();
  for (const { reason, places, examples, ...names } of refusals) {
    const [sensor, variable] = [printableName(names.sensor), printableName(names.variable)];
    const rowAt = (place: Instant) => {
      const hour = Math.floor(place / HOUR) * HOUR;
      // Two names may be one after they were cut, and a statement may not touch a row twice.
      const key = JSON.stringify([hour, sensor, variable, reason]);
      const row = rows.get(key) ?? { hour, sensor, variable, reason, points: [], examples: [] };
      rows.set(key, row);
      return row;
    };
    let row: ReturnType<typeof rowAt> | undefined;
    for (const place of places) {
      if (row === undefined || place < row.hour || place >= row.hour + HOUR) row = rowAt(place);
      row.points.push(place - row.hour - HALF_HOUR);
    }
    for (const { place, raw } of examples) {
      const shown = rowAt(place);
      shown.examples.push([place - shown.hour - HALF_HOUR, raw]);
    }
  }
  return [...rows.values()].map(({ points, examples, ...row }) => ({
    ...row,
    points: points.sort((one, other) => one - other),
    examples: ofThree(examples.toSorted(([one], [other]) => one - other)),
  }));
}

/** The first, the last and one between. */
const ofThree = <T>(items: readonly T[]): readonly T[] =>
  items.length <= 3 ? items : [items[0] as T, items[items.length >> 1] as T, items.at(-1) as T];

const printableName = (name: string): string => printable(name.slice(0, LONGEST_NAME));

/** SQL: the instant (µs) of `point`, a number in the array of a row `known` of `refused_hour`. */
const instantOfPoint = (point: string): string => `(instant_of(known.hour) + ${HALF_HOUR} + ${point})`;

const isInside = (point: string, { from, to }: Bounds = ONE): string =>
  `(${instantOfPoint(point)} >= ${from} and ${instantOfPoint(point)} < ${to})`;

/** The bounds of a window as SQL, µs. */
interface Bounds {
  readonly from: string;
  readonly to: string;
}

const ONE: Bounds = { from: 'one.from_us', to: 'one.to_us' };

/** Of the only window of the statement: an upsert cannot read a row that is joined. */
const ONLY: Bounds = { from: '(select from_us from windows)', to: '(select to_us from windows)' };

const standing = (bounds?: Bounds): string =>
  `select point from unnest(known.points) as point where not ${isInside('point', bounds)}`;

/** SQL: of the points with values the first, the last and one between. */
const examplesFrom = (...sources: readonly string[]): string => `
  (select coalesce(jsonb_agg(jsonb_build_array(point, raw) order by place), '[]')
   from (select *, row_number() over (order by point, raw) as place, count(*) over () as number
         from (${sources.join(' union all ')}) as shown) as ordered
   where place in (1, (number + 1) / 2, number))`;

const shownStanding = (bounds?: Bounds): string => `
  select (example ->> 0)::int as point, example ->> 1 as raw from jsonb_array_elements(known.examples) as example
  where not ${isInside('(example ->> 0)::int', bounds)}`;

const SHOWN_NEW = `
  select (example ->> 0)::int as point, example ->> 1 as raw from jsonb_array_elements(excluded.examples) as example`;

/** The rows of a stream that a window touches. The reason of a remote service is not one of the window. */
const TOUCHED = `
  known.stream_id = moved.stream_id and known.hour > at_instant(one.from_us) - interval '1 hour'
    and known.hour < at_instant(one.to_us) and known.reason <> 'refused-there'`;

const resolved = (unless: string): string => `
  resolved as (
    update refused_hour as known set points = array(${standing()}), examples = ${examplesFrom(shownStanding())}, noted_at = now()
    from moved join windows as one using (part)
    where ${TOUCHED} and exists (select from unnest(known.points) as point where ${isInside('point')}) ${unless})`;

/**
 * SQL: takes the refused points of the windows' time out of their streams' rows, so that the windows' own ones stand in their place.
 * It reads `windows` and `moved`. A row that is left without a point goes with the old logs: an update waits for another window of
 * the hour and then sees its points, where a delete would leave them.
 */
export const RESOLVED = resolved('');

/**
 * SQL: takes the old refused points out as `RESOLVED` does, and puts the `refusals` (`refusedHours`) of the only window in their
 * place; there are none where `refusals` is null.
 */
export const REFUSED = `
  refusing as (
    select refusal.* from windows, jsonb_to_recordset(windows.refusals)
      as refusal (hour bigint, sensor text, variable text, reason text, points int[], examples jsonb)),
  ${resolved(`
      and not exists (select from refusing where at_instant(refusing.hour) = known.hour and refusing.sensor = known.sensor
        and refusing.variable = known.variable and refusing.reason = known.reason)`)},
  noted as (
    insert into refused_hour as known (stream_id, hour, sensor, variable, reason, points, examples)
    select moved.stream_id, at_instant(refusing.hour), sensor, variable, reason, points, examples from refusing, moved
    on conflict (stream_id, hour, sensor, variable, reason) do update set
      points = array(${standing(ONLY)} union all select unnest(excluded.points) order by 1),
      examples = ${examplesFrom(shownStanding(ONLY), SHOWN_NEW)}, noted_at = now())`;
