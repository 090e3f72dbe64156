import { contractBroken, tooMuch } from '../../../src/core/errors.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { byCursor, byLink, byOffset, byTime } from '../../../src/platform/paging.ts';
import { pageOf } from './ask.ts';
import type { Page } from './ask.ts';
import type { HttpJsonSettings } from './options.ts';
import type { Item } from './points.ts';
import { filled } from './template.ts';
import type { FilledRequest, PlaceValues } from './template.ts';
import { writtenTime } from './times.ts';

/** The question for one window. */
export interface WindowQuestion {
  readonly http: Http;
  readonly options: HttpJsonSettings;
  readonly sensors: readonly string[];
  readonly window: Window;
}

/** Every page of a question, in turn. Each way of paging has the guards of its loop (src/platform/paging). */
export async function* pagesOf(question: WindowQuestion): AsyncGenerator<Pick<Page, 'items' | 'failed'>> {
  const { http, options, sensors, window } = question;
  const { paging, exactness, readings } = options;
  const what = `readings of ${sensors[0]}${sensors.length > 1 ? ` and ${sensors.length - 1} more` : ''}`;
  const only = sensors.length === 1 ? sensors[0] : undefined;
  const requestFor = (places: PlaceValues, asked: Window = window): FilledRequest =>
    filled(readings, { ...placesOf(question, asked), ...places }, options.sensors.separator);
  const ask = (places: PlaceValues): Promise<Page> => pageOf(http, requestFor(places), options, only);
  const size = paging.size ?? 0;
  const cap = exactness.cap === 'none' ? Infinity : exactness.cap;

  if (paging.by === 'none') {
    const page = await ask({});
    const isProved = exactness.proof === 'count' || exactness.proof === 'trailer';
    if (page.items.length >= cap && !isProved)
      throw tooMuch(`${what}: ${page.items.length} items, as many as an answer can have`);
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
        const page = await pageOf(http, requestFor({ size: most }, part), options, only);
        const { items, failed } = page;
        if (failed[0] !== undefined) throw failed[0].failed;
        if (items.some(({ at }) => Number.isNaN(at)))
          throw contractBroken(`${what}: a time that is none, so there is no next page`);
        if (items.length < most) prove(question, page, items.length);
        return items;
      },
    });
    for await (const items of pages) yield { items, failed: [] };
    return;
  }
  yield* checked(question, loop());

  async function* loop(): AsyncGenerator<Page> {
    const first = paging.first ?? 0;
    if (paging.by === 'cursor')
      yield* byCursor({ what, ask: (cursor) => ask({ cursor }), next: ({ next }) => next, ends: paging.ends ?? [] });
    else if (paging.by === 'link') {
      yield* byLink({
        what,
        http,
        first: requestFor({}).address,
        next: (page) => linkOf(page, paging.ends ?? [], what),
        ask: (address) => pageOf(http, { method: 'GET', address, body: undefined }, options, only),
      });
    } else {
      yield* byOffset({
        what,
        size: Math.min(size, cap),
        shortPage: 'no-proof',
        items: ({ items }) => items,
        ask: ({ offset, page }) => ask({ offset, page: page + first, size: Math.min(size, cap) }),
        ...(exactness.proof === 'count' ? { total: ({ total }: Page) => total } : {}),
      });
    }
  }
}

/** Passes pages on and holds the last one against the declared proof, so that an answer that ends early is no answer. */
async function* checked(question: WindowQuestion, pages: Iterable<Page> | AsyncIterable<Page>): AsyncGenerator<Page> {
  let received = 0;
  let last: Page | undefined;
  for await (const page of pages) {
    received += page.items.length;
    last = page;
    yield page;
  }
  if (last !== undefined) prove(question, last, received);
}

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
