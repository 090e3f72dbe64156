import type { Http } from '../contract.ts';
import { contractBroken } from '../../core/errors.ts';
import { pageCount } from './pages.ts';
import type { Loop } from './pages.ts';

export interface LinkLoop<P> extends Loop {
  /** Its base address is the one of the source. */
  readonly http: Http;
  /** The first page: a path below the base address, with its query, or a whole address. */
  readonly first: string;
  /** Asks for a page by its whole address. */
  readonly ask: (address: string) => Promise<P>;
  /** The link to the next page as it came; undefined or null at the end. */
  readonly next: (page: P) => string | null | undefined;
  /**
   * Other origins under which the platform knows itself, such as its own name behind a proxy. A link to one of them is asked
   * at the origin of the source. A link to any other origin is `contract-broken`.
   */
  readonly origins?: readonly string[];
}

/** Pages of a platform that links to the next one. A link that came before is `contract-broken`, because the pages would repeat. */
export async function* byLink<P>(loop: LinkLoop<P>): AsyncGenerator<P> {
  const { http, first, ask, next, what } = loop;
  const base = new URL(`${(http.defaults.baseURL ?? '').replace(/\/+$/, '')}/`);
  const count = pageCount(loop);
  const seen = new Set<string>();
  for (let address = new URL(first.replace(/^\/+/, ''), base); ;) {
    if (seen.has(address.href))
      throw contractBroken(`${what}: the link to the next page came before: ${shown(address)}`);
    seen.add(address.href);
    count();
    const page = await ask(address.href);
    yield page;
    const link = next(page);
    if (link === undefined || link === null) return;
    address = follow(link, { address, base, loop });
  }
}

interface Place<P> {
  /** The page that the link came with. */
  readonly address: URL;
  readonly base: URL;
  readonly loop: LinkLoop<P>;
}

/**
 * A link is relative to its page (RFC 3986, 5). One that begins with "/" and leaves the base path lies below that path, because
 * a platform behind a proxy does not know the path that the proxy adds.
 */
function follow<P>(link: string, { address, base, loop }: Place<P>): URL {
  const { what, origins = [] } = loop;
  if (link === '' || !URL.canParse(link, address.href))
    throw contractBroken(`${what}: the link to the next page is not an address`);
  const found = new URL(link, address);
  found.hash = '';
  if (found.origin !== base.origin) {
    if (!origins.includes(found.origin)) {
      throw contractBroken(
        `${what}: the link to the next page leads to ${found.origin}, and the credentials go only to ${base.origin}`,
      );
    }
    return new URL(`${base.origin}${found.pathname}${found.search}`);
  }
  const leaves = /^\/(?!\/)/.test(link) && !found.pathname.startsWith(base.pathname);
  return leaves ? new URL(`${found.pathname.slice(1)}${found.search}`, base) : found;
}

/** Without the query, which may hold a secret. */
const shown = ({ origin, pathname }: URL): string => `${origin}${pathname}`;
