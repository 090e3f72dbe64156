import { MILLISECOND, fromMillis } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { devices, timeSeriesKeys, unknownDevice } from './devices.ts';
import type { Device } from './devices.ts';
import { historyOf } from './history.ts';
import type { ThingsBoardSettings } from './options.ts';

type Target = Pick<Device, 'id' | 'sensor'>;

/** Keys from one millisecond on: what a page did not hold yet. */
interface Rest {
  readonly keys: readonly string[];
  readonly from: number;
}

/** The points of one window, one request after the other, one `Samples` per key and page. */
export async function* read(
  http: Http,
  options: ThingsBoardSettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples> {
  for await (const target of targets(http, options, selection)) {
    const keys = selection.variables ?? options.keys ?? (await timeSeriesKeys(http, target.id));
    yield* readDevice(http, options, target, keys, window);
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
  const endTs = Math.ceil(window.to / MILLISECOND);
  const rests: Rest[] = keyPortions([...new Set(keys)]).map((batch) => ({
    keys: batch,
    from: Math.ceil(window.from / MILLISECOND),
  }));

  for (let rest = rests.shift(); rest !== undefined; rest = rests.shift()) {
    const { from } = rest;
    // Servers 2.1 and 2.2 leave `startTs` itself out (thingsboard/thingsboard#1443): ask from one millisecond before.
    const columns = await ask({ keys: rest.keys, startTs: Math.max(0, from - 1), endTs, limit });
    const unfinished = new Map<number, string[]>();
    for (const [key, { ts, values }] of columns) {
      const first = ts.findIndex((time) => time >= from);
      if (first >= 0) {
        yield { sensor, variable: key, at: ts.slice(first).map(fromMillis), values: values.slice(first) };
      }
      const next = (ts.at(-1) ?? 0) + 1;
      // There is no "more" flag (thingsboard/thingsboard#3505): a full array may have been cut off.
      if (ts.length >= limit && next < endTs) unfinished.set(next, [...(unfinished.get(next) ?? []), key]);
    }
    // Keys that were written together stop together and share their next request.
    for (const [next, unread] of unfinished) rests.push({ keys: unread, from: next });
  }
}

/** The devices a selection means. Usually it says so itself; by name without a group they have to be looked up. */
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

// Ours, not documented: a request line stays well below the 8 kB many servers and proxies take, in any alphabet.
const KEYS_PER_REQUEST = 50;
const CHARACTERS_PER_REQUEST = 2_000;

/**
 * Keys in portions for one request each. A key with a comma goes alone, because it is asked for differently, and last,
 * so that an unknown device is noticed for what it is.
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
