/** One value of a time series as a platform holds it. */
export interface Point {
  readonly measurement: string;
  /** Only tags that have a value. */
  readonly tags: Readonly<Record<string, string>>;
  readonly field: string;
  /** Microseconds since 1970. */
  readonly at: number;
  readonly value: number | string | boolean;
}

/** One string per series: equal exactly when measurement, tags and field are. */
export function seriesKey(point: Pick<Point, 'measurement' | 'tags' | 'field'>): string {
  const tags = Object.entries(point.tags).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([point.measurement, tags, point.field]);
}

/** All points, by series and then by time; made for millions. */
export function sortPoints(points: Iterable<Point>): Point[] {
  return [...bySeries(points)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, ofSeries]) => ofSeries.toSorted((one, other) => one.at - other.at));
}

/** The differences of two sets of points. All counts are zero where both hold the same points, each exactly once. */
export interface Difference {
  readonly missing: number;
  readonly unexpected: number;
  /** Same series and instant, another value or another type of value. */
  readonly changed: number;
  /** More than once in `actual`. */
  readonly repeated: number;
  /** The first few, in words. */
  readonly examples: readonly string[];
}

/** Compares two sets of points in any order, without building a report the size of the data. */
export function differencesOf(expected: Iterable<Point>, actual: Iterable<Point>): Difference {
  const count = { missing: 0, unexpected: 0, changed: 0, repeated: 0 };
  const examples: string[] = [];
  const note = (kind: keyof typeof count, key: string, at: number, detail: unknown): void => {
    count[kind] += 1;
    if (examples.length < 10) examples.push(`${kind}: ${key} at ${at}: ${JSON.stringify(detail)}`);
  };
  const found = bySeries(actual);
  for (const [key, points] of bySeries(expected)) {
    const values = new Map<number, Point['value']>();
    for (const { at, value } of found.get(key) ?? []) {
      if (values.has(at)) note('repeated', key, at, value);
      values.set(at, value);
    }
    for (const { at, value } of points) {
      const other = values.get(at);
      if (other === undefined) note('missing', key, at, value);
      else if (!Object.is(other, value)) note('changed', key, at, [value, other]);
      values.delete(at);
    }
    for (const [at, value] of values) note('unexpected', key, at, value);
    found.delete(key);
  }
  for (const [key, points] of found) for (const { at, value } of points) note('unexpected', key, at, value);
  return { ...count, examples };
}

/** Points that share their tags object, as those of one series do here, have their key computed once. */
function bySeries(points: Iterable<Point>): Map<string, Point[]> {
  const series = new Map<string, Point[]>();
  let last: Point | undefined;
  let ofLast: Point[] = [];
  for (const point of points) {
    if (point.tags !== last?.tags || point.field !== last.field || point.measurement !== last.measurement) {
      const key = seriesKey(point);
      ofLast = series.get(key) ?? [];
      series.set(key, ofLast);
      last = point;
    }
    ofLast.push(point);
  }
  return series;
}
