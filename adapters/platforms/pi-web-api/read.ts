import { contractBroken } from '../../../src/core/errors.ts';
import { MICROSECOND } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { FailedSensor, Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { byTime } from '../../../src/platform/paging.ts';
import { MOST_RETURNED } from './options.ts';
import type { PiOptions } from './options.ts';
import { PointFault } from './point-fault.ts';
import { askedPointOf, keyOf, pointOf, sensors } from './points.ts';
import type { NamedPoint } from './points.ts';
import { recorded } from './recorded.ts';
import { samplesOf } from './values.ts';
import type { PiValue } from './values.ts';

/** The values of one window: one request for each set of points, and more for points that fill a page. */
export async function* read(
  http: Http,
  options: PiOptions,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples | FailedSensor> {
  const points: NamedPoint[] = [];
  for (const name of selection.sensors ?? (await namesOf(http, options))) {
    try {
      points.push(await pointOf(http, options, name));
    } catch (error) {
      yield failedOf(name, error);
    }
  }
  for (const set of setsOf(points)) yield* readSet(http, options, set, window);
}

async function namesOf(http: Http, options: PiOptions): Promise<string[]> {
  const names: string[] = [];
  for await (const { id } of sensors(http, options)) names.push(id);
  return names;
}

/**
 * The values of a set. The documentation does not say whether the server counts `maxCount` for each point or for all of them. So
 * an answer with fewer values in all is whole, and one with more shows that it counts each point. In an answer with just as many,
 * any point may lack values, and each is read alone.
 */
async function* readSet(
  http: Http,
  options: PiOptions,
  set: readonly NamedPoint[],
  window: Window,
): AsyncGenerator<Samples | FailedSensor> {
  const size = options.pageLimit;
  const answer = await recorded(http, options, set, window, size);
  let total = 0;
  for (const values of answer?.values() ?? []) total += values instanceof PointFault ? 0 : values.length;
  const counts = set.length === 1 || total > size ? 'each' : 'unknown';
  for (const point of set) {
    const found = answer?.get(keyOf(point.name));
    if (found === undefined || found instanceof PointFault) {
      yield* orFailed(point.name, renewed(http, options, point, window));
    } else if (total < size || (counts === 'each' && found.length < size)) {
      if (found.length > 0) yield samplesOf(point.name, found);
    } else {
      yield* orFailed(point.name, readAlone(http, options, point, window, counts === 'each' ? found : undefined));
    }
  }
}

/** The point was not there, or not under its WebId: it is looked up and asked for once more. */
async function* renewed(http: Http, options: PiOptions, { name }: NamedPoint, window: Window): AsyncGenerator<Samples> {
  yield* readAlone(http, options, await askedPointOf(http, options, name), window);
}

/** The values of one point, page by page. `first`: the first page, where it came already. Throws a `PointFault`. */
async function* readAlone(
  http: Http,
  options: PiOptions,
  point: NamedPoint,
  window: Window,
  first?: readonly PiValue[],
): AsyncGenerator<Samples> {
  let unread = first;
  const pages = byTime<PiValue>({
    what: `values of ${point.name}`,
    window,
    order: 'ascending',
    tick: MICROSECOND,
    size: options.pageLimit,
    cap: MOST_RETURNED,
    at: ({ at }) => at,
    async ask(part, size) {
      const page = unread ?? (await askAlone(http, options, point, part, size));
      unread = undefined;
      return page;
    },
  });
  for await (const values of pages) yield samplesOf(point.name, values);
}

async function askAlone(
  http: Http,
  options: PiOptions,
  point: NamedPoint,
  window: Window,
  size: number,
): Promise<readonly PiValue[]> {
  const answer = await recorded(http, options, [point], window, size);
  const found = answer?.get(keyOf(point.name));
  if (found === undefined)
    throw new PointFault(contractBroken(`PI Web API answered for another point than ${point.name}`));
  if (found instanceof PointFault) throw found;
  return found;
}

async function* orFailed(name: string, pages: AsyncGenerator<Samples>): AsyncGenerator<Samples | FailedSensor> {
  try {
    yield* pages;
  } catch (error) {
    yield failedOf(name, error);
  }
}

/** The failure of one point; any other error is thrown. */
function failedOf(sensor: string, error: unknown): FailedSensor {
  if (!(error instanceof PointFault)) throw error;
  return { sensor, failed: error.failed };
}

/** Ours: the address stays below 2,000 characters, with room for the other parameters. */
const CHARACTERS_OF_IDS = 1_500;

/** Points in sets for one request each. */
function setsOf(points: readonly NamedPoint[]): readonly (readonly NamedPoint[])[] {
  const sets: NamedPoint[][] = [];
  let characters = Infinity;
  for (const point of points) {
    const more = `&webId=${encodeURIComponent(point.webId)}`.length;
    characters += more;
    if (characters > CHARACTERS_OF_IDS) {
      sets.push([]);
      characters = more;
    }
    sets.at(-1)?.push(point);
  }
  return sets;
}
