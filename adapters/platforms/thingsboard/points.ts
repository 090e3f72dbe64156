import { broken, isObject, jsonObject } from './answer.ts';

/** One question to the history of a device. Times are milliseconds since 1970. */
export interface HistoryQuestion {
  readonly keys: readonly string[];
  readonly startTs: number;
  readonly endTs: number;
  /** Points per key, not in all. */
  readonly limit: number;
}

/** The points of one key, oldest first. Times are milliseconds since 1970; values are as they came. */
export interface KeyColumn {
  readonly ts: readonly number[];
  readonly values: readonly unknown[];
}

/**
 * `{"<key>": [{"ts": 1767225600000, "value": 21.4}, …]}` → columns by key. A key without points is missing from it.
 * `contract-broken` for every other shape, and for an answer to another question: with keys or times that were not
 * asked for (the server gave the latest values, or split a key at its comma), or in an order from which paging cannot
 * go on.
 */
export function keyColumns(answer: unknown, question: HistoryQuestion, device: string): ReadonlyMap<string, KeyColumn> {
  const columns = new Map<string, KeyColumn>();
  for (const [key, points] of Object.entries(jsonObject(answer, `history of device ${device}`))) {
    const what = `history of ${key} of device ${device}`;
    if (!question.keys.includes(key)) throw broken(`${what}: was not asked for`, points);
    if (!Array.isArray(points)) throw broken(`${what}: expected an array of points`, points);
    columns.set(key, columnOf(points, question, what));
  }
  return columns;
}

function columnOf(points: readonly unknown[], { startTs, endTs }: HistoryQuestion, what: string): KeyColumn {
  const times: number[] = [];
  const values: unknown[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (!isObject(point) || !('value' in point)) throw broken(`${what}: a point without \`value\``, point);
    const { ts, value } = point;
    if (typeof ts !== 'number' || !Number.isSafeInteger(ts)) throw broken(`${what}: \`ts\` is not an integer`, point);
    // Newer servers leave the end out, 2.1 and 2.2 the start (thingsboard/thingsboard#1443), so both ends are allowed.
    if (ts < startTs || ts > endTs) throw broken(`${what}: a point outside the asked range`, point);
    // A time is unique for each device and key, so a repeated one is as wrong as an older one.
    if (ts <= last) throw broken(`${what}: points are not in ascending order of time`, point);
    last = ts;
    times.push(ts);
    values.push(value);
  }
  return { ts: times, values };
}
