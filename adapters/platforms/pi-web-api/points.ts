import { z } from 'zod';
import { BridgeError } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { byOffset } from '../../../src/platform/paging.ts';
import { dataServerOf, expectSomeRight } from './data-server.ts';
import type { DataServer } from './data-server.ts';
import type { PiOptions } from './options.ts';
import { PointFault } from './point-fault.ts';

/** The one variable of a point. */
export const PI_VARIABLE = 'value';

/** A point by the name that operators use, and by the id that PI Web API asks for. */
export interface NamedPoint {
  readonly name: string;
  readonly webId: string;
}

const pointFields = z.object({ WebId: z.string().min(1), Name: z.string().min(1), PointType: z.string() });
const pointPage = z.object({ Items: z.array(pointFields) });

const PAGE_SIZE = 1_000;
const NO_NUMBERS = ['String', 'Blob', 'Timestamp'];

/** What this process knows of a data server. */
interface Directory {
  readonly server: DataServer;
  /** WebIds by the name of the point in small letters. */
  readonly webIds: Map<string, string>;
}

/** By the options of an open source, so that it ends with it. */
const directories = new WeakMap<PiOptions, Directory>();

async function directoryOf(http: Http, options: PiOptions): Promise<Directory> {
  const known = directories.get(options);
  if (known !== undefined) return known;
  const found = { server: await dataServerOf(http, options), webIds: new Map<string, string>() };
  directories.set(options, found);
  return found;
}

/** Names of points do not differ by case. */
export const keyOf = (name: string): string => name.toLowerCase();

/** Every point of the data server that the options choose: one request for each 1,000, and one more. */
export async function* sensors(http: Http, options: PiOptions): AsyncGenerator<Sensor> {
  directories.delete(options);
  yield* matching(http, options, options.nameFilter);
}

/** Characters that may mean something in a filter; `?` stands for any one character. */
const SPECIAL = /[^\p{L}\p{N} ._-]/gu;

/**
 * The points whose name holds a text: one request for each 1,000, and one more. A request takes one `nameFilter`, which may be the
 * source's (pi-web-api-reference …/controllers/dataserver/actions/getpoints.html).
 */
export const search = (http: Http, options: PiOptions, text: string): AsyncGenerator<Sensor> =>
  options.nameFilter === '*' ? matching(http, options, `*${text.replace(SPECIAL, '?')}*`) : sensors(http, options);

async function* matching(http: Http, options: PiOptions, nameFilter: string): AsyncGenerator<Sensor> {
  const { server, webIds } = await directoryOf(http, options);
  const pages = byOffset({
    what: `points of ${server.name}`,
    size: PAGE_SIZE,
    // Whether a short page is the last one is not documented.
    shortPage: 'no-proof',
    items: ({ Items }: z.output<typeof pointPage>) => Items,
    async ask({ offset }) {
      const params = { nameFilter, startIndex: offset, maxCount: PAGE_SIZE };
      const selectedFields = 'Items.WebId;Items.Name;Items.PointType';
      const path = `/dataservers/${encodeURIComponent(server.webId)}/points`;
      const { data } = await http.get<unknown>(path, { params: { ...params, selectedFields } });
      return answer(pointPage, data, `points of ${server.name}, from the ${offset + 1}th on`);
    },
  });
  const seen = new Set<string>();
  const isChosen = (type: string) => options.pointTypes?.includes(type) ?? !NO_NUMBERS.includes(type);
  for await (const { Items } of pages) {
    for (const { Name, WebId, PointType } of Items) {
      // A point that appears during the walk moves the others to a later page.
      if (!isChosen(PointType) || seen.has(keyOf(Name))) continue;
      seen.add(keyOf(Name));
      webIds.set(keyOf(Name), WebId);
      yield sensorOf(Name);
    }
  }
}

/** The points with these names, of any type: one request each. */
export async function* find(http: Http, options: PiOptions, ids: readonly string[]): AsyncGenerator<Sensor> {
  for (const id of ids) {
    const found = await askFor(http, options, id);
    if (!('refused' in found)) yield sensorOf(found.name);
  }
}

const sensorOf = (name: string): Sensor => ({ id: name, variables: [PI_VARIABLE] });

/** The point of a name. Asks for it where this process does not know its WebId. Throws a `PointFault`. */
export async function pointOf(http: Http, options: PiOptions, name: string): Promise<NamedPoint> {
  const { webIds } = await directoryOf(http, options);
  const webId = webIds.get(keyOf(name));
  return webId === undefined ? await askedPointOf(http, options, name) : { name, webId };
}

/** As `pointOf`, by a new question: a point may be deleted and made again, or renamed, and then has another WebId. */
export async function askedPointOf(http: Http, options: PiOptions, name: string): Promise<NamedPoint> {
  const found = await askFor(http, options, name);
  if ('refused' in found) throw new PointFault(found.refused);
  return { name, webId: found.webId };
}

async function askFor(
  http: Http,
  options: PiOptions,
  name: string,
): Promise<NamedPoint | { readonly refused: BridgeError }> {
  const { server, webIds } = await directoryOf(http, options);
  webIds.delete(keyOf(name));
  const { status, data } = await http.get<unknown>('/points', {
    params: { path: `\\\\${server.name}\\${name}`, selectedFields: 'WebId;Name;PointType' },
    expect: [403, 404],
  });
  if (status === 403 || status === 404) return { refused: await refusalOf(http, name, status) };
  const { WebId, Name } = answer(pointFields, data, `point ${name}`);
  webIds.set(keyOf(Name), WebId);
  return { name: Name, webId: WebId };
}

/** The error of one point. Throws where the credentials may read nothing at all. */
export async function refusalOf(http: Http, name: string, status: 403 | 404): Promise<BridgeError> {
  if (status === 404) {
    return new BridgeError({ code: 'contract-broken' }, `PI Web API knows no point ${name}`, {
      remedy: 'it was deleted or renamed: take it out of the source, or list its new name',
    });
  }
  await expectSomeRight(http);
  return new BridgeError({ code: 'contract-broken' }, `point ${name} may not be read`, {
    remedy: 'let the administrator of the PI system give the user or client of this source the right to read its data',
  });
}
