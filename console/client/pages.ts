/** Lists that come page by page, for rows that are read as they come into sight. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from './answers.ts';
import { ask } from './api.ts';
import type { Answer, Given, OperationName, Refusal } from './api.ts';

/** Operations that answer a page of `items`. */
export type ListName = {
  [Name in OperationName]: Answer<Name> extends { readonly items: readonly unknown[]; readonly next: string | null }
    ? Name
    : never;
}[OperationName];

/** Rows behind the first page that are read again with it: more would ask the bridge all the time. */
const MOST_REREAD = 500;

type Item<Name extends ListName> = Answer<Name>['items'][number];

export interface Listed<Name extends ListName> {
  readonly items: readonly Item<Name>[] | undefined;
  /** The first page as a whole. */
  readonly first: Answer<Name> | undefined;
  readonly refusal: Refusal | undefined;
  readonly more: (() => void) | undefined;
  readonly again: () => void;
}

/**
 * A list whose first page stays new. Further pages are read when they are wished, and again when the first one has changed; a list that
 * grew meanwhile shows no row twice.
 */
export function useList<Name extends ListName>(
  name: Name,
  given: Given<Name>,
  keyOf: (item: Item<Name>) => string | number,
  every?: number,
): Listed<Name> {
  const key = JSON.stringify(given);
  const { answer: newest, refusal, again } = useAnswer(name, given, every);
  const before = useRef<Answer<Name>>(undefined);
  if (newest !== undefined) before.current = newest;
  // The rows of the question before stay until the first ones of the new one are there.
  const first = newest ?? before.current;
  const [rest, setRest] = useState<{ key: string; items: readonly Item<Name>[]; next: string | null }>();
  const isReading = useRef(false);
  const isOfThis = rest !== undefined && rest.key === key;
  const next = isOfThis ? rest.next : (first?.next ?? null);
  useEffect(() => {
    isReading.current = false;
  }, [key]);
  const more = useCallback((): void => {
    if (isReading.current || next === null) return;
    isReading.current = true;
    const asked = given as { readonly query?: object };
    ask(name, { ...given, query: { ...asked.query, cursor: next } } as unknown as Given<Name>).then(
      (page) => {
        isReading.current = false;
        setRest((present) => ({
          key,
          items: [...(present?.key === key ? present.items : []), ...page.items],
          next: page.next,
        }));
      },
      () => (isReading.current = false),
    );
  }, [name, key, next]);
  const readAgain = async (signal: AbortSignal): Promise<void> => {
    if (rest?.key !== key || first === undefined || rest.items.length > MOST_REREAD) return;
    const wanted = rest.items.length;
    const items: Item<Name>[] = [];
    let cursor = first.next;
    while (cursor !== null && items.length < wanted) {
      const query = { ...(given as { readonly query?: object }).query, cursor };
      const page: Answer<Name> = await ask(name, { ...given, query } as unknown as Given<Name>, {
        unattended: true,
        signal,
      });
      items.push(...page.items);
      cursor = page.next;
    }
    if (!signal.aborted) setRest({ key, items, next: cursor });
  };
  const state = JSON.stringify(newest);
  useEffect(() => {
    const leaving = new AbortController();
    void readAgain(leaving.signal).catch(() => undefined);
    return () => leaving.abort();
  }, [state]);
  const seen = new Set(first?.items.map((item: Item<Name>) => keyOf(item)));
  const behind = isOfThis ? rest.items.filter((item) => seen.size < seen.add(keyOf(item)).size) : [];
  return {
    items: first && [...first.items, ...behind],
    first,
    refusal,
    more: next === null ? undefined : more,
    again,
  };
}
