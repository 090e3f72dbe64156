import type { RefusedPoint, RefusedSeries } from './batch.ts';
import type { Instant } from './instant.ts';
import type { RefusalReason } from './reading.ts';

/** The refused points of one window, as they are met. */
export interface RefusalNotes {
  /**
   * Notes a refused point. `place`: its instant, or where it stands when it has none. `raw`: its value as text; it is asked for in
   * `sealed`, and only for the points that become examples.
   */
  note(sensor: string, variable: string, reason: RefusalReason, point: NotedPoint): void;
  /** The noted points, by variable and reason. */
  sealed(): readonly RefusedSeries[];
}

interface NotedPoint extends Pick<RefusedPoint, 'place' | 'at'> {
  readonly raw: () => string;
}

interface Noted {
  readonly sensor: string;
  readonly variable: string;
  readonly reason: RefusalReason;
  readonly places: Instant[];
  /** The first point, and every `stride`-th one after it. */
  shown: NotedPoint[];
  stride: number;
  last: NotedPoint;
}

/** A variable has at most this many examples for each reason in a window, and the last point besides. */
const SHOWN = 4;

/** A window keeps examples of at most this many variables and reasons. */
const MOST_SHOWN = 5_000;

export function refusalNotes(): RefusalNotes {
  const series = new Map<string, Noted>();
  let recent: Noted | undefined;

  function notedOf(sensor: string, variable: string, reason: RefusalReason, point: NotedPoint): Noted {
    if (recent !== undefined && recent.reason === reason && recent.sensor === sensor && recent.variable === variable) {
      return recent;
    }
    const key = JSON.stringify([sensor, variable, reason]);
    recent = series.get(key);
    if (recent === undefined) {
      recent = { sensor, variable, reason, places: [], shown: [], stride: 1, last: point };
      series.set(key, recent);
    }
    return recent;
  }

  return {
    note(sensor, variable, reason, point) {
      const noted = notedOf(sensor, variable, reason, point);
      if (noted.places.length % noted.stride === 0) {
        noted.shown.push(point);
        if (noted.shown.length > SHOWN) {
          noted.shown = noted.shown.filter((_, index) => index % 2 === 0);
          noted.stride *= 2;
        }
      }
      noted.places.push(point.place);
      noted.last = point;
    },
    sealed: () =>
      [...series.values()].map(({ sensor, variable, reason, places, shown, last }, index) => {
        const chosen = index >= MOST_SHOWN ? [] : shown.at(-1) === last ? shown : [...shown, last];
        const examples = chosen.map(({ place, at, raw }) => ({ place, at, raw: raw() }));
        return { sensor, variable, reason, places, examples };
      }),
  };
}
