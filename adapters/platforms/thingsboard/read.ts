import { MILLISECOND, fromMillis } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { confirmDevice, devices, timeSeriesKeys, unknownDevice } from './devices.ts';
import type { Device } from './devices.ts';
import { historyOf } from './history.ts';
import type { ThingsBoardSettings } from './options.ts';

type Target = Pick<Device, 'id' | 'sensor'>;

/** Keys whose points after `after` are still to be read. Times are milliseconds since 1970. */
interface Unread {
  readonly keys: readonly string[];
  readonly startTs: number;
  readonly after: number;
}

/** The points of one window, one request after the other, one `Samples` per key and page. */
export async function* read(
  http: Http,
  options: ThingsBoardSettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples> {
  for await (const target of targets(http, options, selection)) {
    let empty = true;
    const keys = selection.variables ?? options.keys ?? (await timeSeriesKeys(http, target.id));
    for await (const samples of readDevice(http, options, target, keys, window)) {
      empty = false;
      yield samples;
    }
    // A device that was deleted may answer as one without points.
    if (empty) await confirmDevice(http, target.id);
  }
}

async function* readDevice(
  http: Http,
  options: ThingsBoardSettings,
  { id, sensor }: Target,
  keys: readonly string[],
  window: Window,
): AsyncGenerator<Samples> {
  const ask = historyOf(http, id, options.history);
  const limit = options.pageLimit;
  const endTs = window.to / MILLISECOND;
  const begin = Math.max(0, window.from / MILLISECOND);
  const queue = keyPortions([...new Set(keys)]).map((batch): Unread => ({
    keys: batch,
    startTs: begin,
    after: begin - 1,
  }));

  for (let unread = queue.shift(); unread !== undefined; unread = queue.shift()) {
    const { startTs, after } = unread;
    const columns = await ask({ keys: unread.keys, startTs, endTs, limit });
    const unfinished = new Map<number, string[]>();
    for (const [key, { ts, values }] of columns) {
      const first = ts.findIndex((time) => time > after);
      if (first >= 0) {
        yield { sensor, variable: key, at: ts.slice(first).map(fromMillis), values: values.slice(first) };
      }
      const last = ts.at(-1) ?? 0;
      // There is no "more" flag (thingsboard/thingsboard#3505): a full array may have been cut off.
      if (ts.length >= limit && last + 1 < endTs) unfinished.set(last, [...(unfinished.get(last) ?? []), key]);
    }
    // Keys whose points have the same times stop at the same point and share their next request. It begins at that point,
    // because servers 2.1 and 2.2 leave `startTs` itself out (thingsboard/thingsboard#1443).
    for (const [last, stopped] of unfinished) queue.push({ keys: stopped, startTs: last, after: last });
  }
}

/** The devices of a selection. It usually holds their ids; a selection by name without a group needs a look-up. */
async function* targets(
  http: Http,
  options: ThingsBoardSettings,
  { group, sensors }: Selection,
): AsyncGenerator<Target> {
  if (options.sensorId === 'id' && (sensors ?? group) !== undefined) {
    for (const id of sensors ?? [group as string]) yield { id, sensor: id };
    return;
  }
  if (group !== undefined && sensors?.length === 1) {
    yield { id: group, sensor: sensors[0] as string };
    return;
  }
  const missing = new Set(sensors ?? (group === undefined ? [] : [group]));
  for await (const device of devices(http, options)) {
    const wanted = sensors === undefined ? group === undefined || device.id === group : sensors.includes(device.sensor);
    if (!wanted) continue;
    missing.delete(sensors === undefined ? device.id : device.sensor);
    yield device;
  }
  for (const name of missing) throw unknownDevice(name, 'it is not in the list of devices');
}

// Ours, not documented: the request line stays far below the 8 kB that many servers and proxies accept, in any
// alphabet.
const KEYS_PER_REQUEST = 50;
const CHARACTERS_PER_REQUEST = 2_000;

/**
 * Keys in portions for one request each. A key with a comma goes alone, because it is asked for in another way, and
 * last, because the requests before it show whether the device is known.
 */
export function keyPortions(keys: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let characters = 0;
  for (const key of keys.filter((name) => !name.includes(','))) {
    const length = encodeURIComponent(key).length + 1;
    if (batch.length >= KEYS_PER_REQUEST || characters + length > CHARACTERS_PER_REQUEST) {
      batches.push(batch);
      batch = [];
      characters = 0;
    }
    batch.push(key);
    characters += length;
  }
  const alone = keys.filter((key) => key.includes(',')).map((key) => [key]);
  return [...batches, batch, ...alone].filter(({ length }) => length > 0);
}
