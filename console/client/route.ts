/** The place of a page: `#/sources/default/hall-3?tab=windows`. A view is its address. */
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';

export interface Route {
  /** The parts of the path. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** The route of the hash of an address. */
export function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a page, for links. */
export function hrefOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${path.map(encodeURIComponent).join('/')}${search}`;
}

export function useRoute(): Route {
  const [hash, show] = useState(location.hash);
  useEffect(() => {
    const act = (): void => show(location.hash);
    window.addEventListener('hashchange', act);
    // It may have changed since it was drawn.
    act();
    return () => window.removeEventListener('hashchange', act);
  }, []);
  return useMemo(() => routeOf(hash), [hash]);
}

export const go = (path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): void => {
  location.hash = hrefOf(path, query);
};

/** Changes parts of the query in place: going back leads to the page before, not to the filter before. */
export function adjust(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = routeOf(location.hash);
  history.replaceState(null, '', hrefOf(path, { ...query, ...changes }));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** How long after the last key a text takes effect, ms. */
const TYPING_MS = 200;

/** A text field whose text is a part of the query, a moment after one has typed it: the text now, and what takes another one. */
export function useTyped(key: string): readonly [text: string, type: (text: string) => void] {
  const value = useRoute().query[key] ?? '';
  const [text, type] = useState(value);
  // Both before the next key, which would be lost where what was typed before it took effect later.
  useLayoutEffect(() => type(value), [value]);
  useLayoutEffect(() => {
    const timer = setTimeout(() => text !== value && adjust({ [key]: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, type];
}
