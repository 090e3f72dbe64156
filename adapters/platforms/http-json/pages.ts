import { BridgeError, contractBroken, tooMuch } from '../../../src/core/errors.ts';
import type { Window } from '../../../src/core/window.ts';
import type { FailedSensor, Http, Samples } from '../../../src/platform/contract.ts';
import { byCursor, byLink, byOffset, byTime } from '../../../src/platform/paging.ts';
import { foundFor } from './ask.ts';
import type { Codes, Page, PageWish } from './evaluating.ts';
import type { HttpJsonSettings } from './options.ts';
import { holdPoint, holdNext, samplesOfItems } from './points.ts';
import type { Edge, Item } from './points.ts';
import { filled } from './template.ts';
import type { FilledRequest, PlaceValues } from './template.ts';
import { writtenTime } from './times.ts';

/** The question for one window. */
export interface WindowQuestion {
  readonly http: Http;
  readonly options: HttpJsonSettings;
  readonly sensors: readonly string[];
  readonly window: Window;
  /** The points of each sensor so far, which points are held against; without it they are not held against the declaration. */
  readonly edges?: Map<string, Edge>;
}

/** Every page of a question, in turn. Each way of paging has the guards of its loop (src/platform/paging). */
export async function* pagesOf(question: WindowQuestion): AsyncGenerator<Samples | FailedSensor> {
  const { http, options, sensors, window } = question;
  const { paging, exactness, readings } = options;
  const what = `readings of ${sensors[0]}${sensors.length > 1 ? ` and ${sensors.length - 1} more` : ''}`;
  const only = sensors.length === 1 ? sensors[0] : undefined;
  const requestFor = (places: PlaceValues, asked: Window = window): FilledRequest =>
    filled(readings, { ...placesOf(question, asked), ...places }, options.sensors.separator);
  const { edges } = question;
  const held = edges === undefined ? undefined : { window, order: exactness.order };
  const codes = codesOf(options);
  const pageFor = (asked: FilledRequest, as: PageWish['as']): Promise<Page> => {
    const wish = { kind: 'page', only, read: options.times.read, as, held: as === 'items' ? undefined : held } as const;
    return foundFor<Page>(http, asked, options, { codes, wish });
  };
  const askAt = (places: PlaceValues): Promise<Page> => pageFor(requestFor(places), 'columns');
  const size = paging.size ?? 0;
  const cap = exactness.cap === 'none' ? Infinity : exactness.cap;

  if (paging.by === 'none') {
    const page = await askAt({});
    const isProved = exactness.proof === 'count' || exactness.proof === 'trailer';
    if (page.count >= cap && !isProved) throw tooMuch(`${what}: ${page.count} items, as many as an answer can have`);
    yield* checked(question, [page]);
    return;
  }
  if (paging.by === 'time') {
    const pages = byTime<Item>({
      what,
      window,
      order: exactness.order === 'descending' ? 'descending' : 'ascending',
      tick: exactness.resolution,
      size: Math.min(size, cap),
      cap,
      at: ({ at }) => at,
      ask: async (part, most) => {
        const page = await pageFor(requestFor({ size: most }, part), 'items');
        const { items, failed } = page;
        if (failed[0] !== undefined) throw failedSensor(failed[0]).failed;
        if (items.some(({ at }) => Number.isNaN(at)))
          throw contractBroken(`${what}: a time that is none, so there is no next page`);
        if (items.length < most) prove(question, page, items.length);
        return items;
      },
    });
    for await (const items of pages) {
      if (edges !== undefined && held !== undefined) for (const item of items) holdPoint(item, held, edges);
      yield* samplesOfItems(items);
    }
    return;
  }
  yield* checked(question, loop());

  async function* loop(): AsyncGenerator<Page> {
    const first = paging.first ?? 0;
    if (paging.by === 'cursor')
      yield* byCursor({ what, ask: (cursor) => askAt({ cursor }), next: ({ next }) => next, ends: paging.ends ?? [] });
    else if (paging.by === 'link') {
      yield* byLink({
        what,
        http,
        first: requestFor({}).address,
        next: (page) => linkOf(page, paging.ends ?? [], what),
        ask: (address) => pageFor({ method: 'GET', address, body: undefined }, 'columns'),
      });
    } else {
      yield* byOffset({
        what,
        size: Math.min(size, cap),
        shortPage: 'no-proof',
        items: ({ count }) => ({ length: count }),
        print: ({ print }) => print,
        ask: ({ offset, page }) =>
          pageFor(requestFor({ offset, page: page + first, size: Math.min(size, cap) }), 'told'),
        ...(exactness.proof === 'count' ? { total: ({ total }: Page) => total } : {}),
      });
    }
  }
}

/**
 * Passes the points of pages on, and holds the last page against the declared proof, so that an answer that ends early is no answer.
 * The evaluator held the points of each page against the declaration; here the pages are held against each other.
 */
async function* checked(
  question: WindowQuestion,
  pages: Iterable<Page> | AsyncIterable<Page>,
): AsyncGenerator<Samples | FailedSensor> {
  const { edges, options } = question;
  let received = 0;
  let last: Page | undefined;
  for await (const page of pages) {
    received += page.count;
    last = page;
    if (edges !== undefined) for (const edge of page.edges) holdNext(edge, options.exactness.order, edges);
    yield* page.failed.map(failedSensor);
    yield* page.samples;
  }
  if (last !== undefined) prove(question, last, received);
}

const failedSensor = ({ sensor, message }: Page['failed'][number]): FailedSensor => ({
  sensor,
  failed: new BridgeError({ code: 'contract-broken' }, message),
});

/** The expressions for a page. They tell a source from others, too, so they are always the same ones. */
const codesOf = ({ answer, exactness, paging }: HttpJsonSettings): Codes => ({
  'answer.error': answer.error,
  'answer.failed': answer.failed,
  'answer.points': answer.points,
  'answer.empty': answer.empty,
  'exactness.count': exactness.count,
  'exactness.trailer': exactness.trailer,
  'paging.next': paging.next,
});

/** Holds the last page of a question, after which `received` items came, against the declared proof. */
function prove({ options, sensors }: WindowQuestion, last: Page, received: number): void {
  const { proof } = options.exactness;
  const what = `readings of ${sensors.join(', ').slice(0, 200)}`;
  if (proof === 'count' && last.total !== received)
    throw contractBroken(`${what}: ${received} items came, and the answer counts ${last.total}`);
  if (proof === 'trailer' && last.isLast !== true)
    throw contractBroken(`${what}: the answer ended without its trailer`);
}

/** The link of a page, or undefined where it ends in a declared way. */
function linkOf({ next }: Page, ends: readonly string[], what: string): string | undefined {
  const absence = next === undefined ? 'absent' : next === null ? 'null' : next === '' ? 'empty' : undefined;
  if (absence !== undefined) {
    if (ends.includes(absence)) return undefined;
    throw contractBroken(`${what}: the link is ${absence}, which is no sign of the end on this platform`);
  }
  if (typeof next !== 'string') throw contractBroken(`${what}: the link is no text`);
  return next;
}

const placesOf = ({ options, sensors }: WindowQuestion, { from, to }: Window): PlaceValues => ({
  from: writtenTime(from, options.times),
  to: writtenTime(to, options.times),
  sensors,
  sensor: sensors[0],
  // Each way of paging sets its own, and the others have no value.
  cursor: undefined,
  offset: undefined,
  page: undefined,
  size: options.paging.size,
});
