/** What pages have read: kept for a while, read again when it may have changed, and never taken away from a page that shows it. */
import { useLayoutEffect, useReducer } from 'preact/hooks';
import { ask, waitAfter } from './api.ts';
import type { Answer, Given, OperationName, Refusal } from './api.ts';
import { isLive, whenLive } from './live-switch.ts';

interface Entry {
  readonly name: OperationName;
  readonly read: (unattended: boolean, signal: AbortSignal) => Promise<unknown>;
  readonly listeners: Set<() => void>;
  answer?: unknown;
  refusal?: Refusal | undefined;
  reading?: Promise<void> | undefined;
  leaving?: AbortController;
  isOld: boolean;
  readAt: number;
}

/** Answers of pages that were left are shown again at once. */
const MOST_KEPT = 60;
const kept = new Map<string, Entry>();

/** Events come in bursts; what they change is read once, ms. */
const BURST_MS = 100;
/** An answer that was left for longer is read again when it is shown again, ms. */
const FRESH_MS = 1_000;

/** What a page shows of an operation. */
export interface Shown<Name extends OperationName> {
  /** The newest answer; undefined before the first. */
  readonly answer: Answer<Name> | undefined;
  /** Why the newest request failed; an older answer stays. */
  readonly refusal: Refusal | undefined;
  /** Reads again now, by the wish of the operator. */
  readonly again: () => void;
}

function entryOf<Name extends OperationName>(name: Name, given: Given<Name>): Entry {
  const key = `${name} ${JSON.stringify(given)}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const entry: Entry = {
    name,
    read: (unattended, signal) => ask(name, given, { unattended, signal }),
    listeners: new Set(),
    isOld: true,
    readAt: 0,
  };
  kept.set(key, entry);
  const unused = [...kept].filter(([, { listeners }]) => listeners.size === 0);
  for (const [old] of unused.slice(0, Math.max(0, kept.size - MOST_KEPT))) if (old !== key) kept.delete(old);
  return entry;
}

async function readInto(entry: Entry, unattended: boolean): Promise<void> {
  const { signal } = (entry.leaving = new AbortController());
  entry.isOld = false;
  entry.readAt = Date.now();
  try {
    const answer = await entry.read(unattended, signal);
    if (signal.aborted) return;
    entry.answer = answer;
    entry.refusal = undefined;
  } catch (error) {
    // Another request took its place.
    if (signal.aborted) return;
    readAfter((entry.refusal = error as Refusal), entry);
  }
  entry.reading = undefined;
  for (const tell of entry.listeners) tell();
  if (entry.isOld && entry.listeners.size > 0) read(entry, true);
}

/** Reads an answer again a while after a refusal that passes by itself. */
function readAfter(refusal: Refusal, entry: Entry): void {
  const wait = waitAfter(refusal);
  if (wait === undefined) return;
  setTimeout(() => {
    if (entry.refusal !== refusal || entry.listeners.size === 0) return;
    if (isLive()) read(entry, true);
    else entry.isOld = true;
  }, wait);
}

const read = (entry: Entry, unattended: boolean): void => {
  entry.reading ??= readInto(entry, unattended);
};

/**
 * Shows the answer of an operation and keeps it new: events of the bridge have it read again, and so does each passing of `every` ms.
 * Nothing is asked where `given` is undefined.
 */
export function useAnswer<Name extends OperationName>(
  name: Name,
  given: Given<Name> | undefined,
  every?: number,
): Shown<Name> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const entry = given && entryOf(name, given);
  // With what is drawn: an answer that came in between, for another part of the page, would never be shown.
  useLayoutEffect(() => {
    if (entry === undefined) return undefined;
    const tell = (): void => redraw(undefined);
    entry.listeners.add(tell);
    if (entry.isOld || Date.now() - entry.readAt > FRESH_MS) read(entry, false);
    const again = (): void => {
      if (isLive() && Date.now() - entry.readAt >= (every ?? 0)) read(entry, true);
    };
    const timer = every === undefined ? undefined : setInterval(again, every);
    return () => {
      entry.listeners.delete(tell);
      clearInterval(timer);
    };
  }, [entry, every]);
  return {
    answer: entry?.answer as Answer<Name> | undefined,
    refusal: entry?.refusal,
    again: () => {
      if (entry === undefined) return;
      // An answer that does not come is not waited for any more.
      entry.leaving?.abort();
      entry.reading = undefined;
      read(entry, false);
    },
  };
}

let due: ReturnType<typeof setTimeout> | undefined;

/** Says that answers of operations may have changed. Those that a page shows are read again, soon and together. */
export function changed(names: readonly OperationName[]): void {
  for (const entry of kept.values()) if (names.includes(entry.name)) entry.isOld = true;
  if (!isLive()) return;
  due ??= setTimeout(readOld, BURST_MS);
}

function readOld(): void {
  due = undefined;
  for (const entry of kept.values()) if (entry.isOld && entry.listeners.size > 0) read(entry, true);
}

whenLive(readOld);

/** Forgets everything, because another operator may sign in. */
export function forgetAnswers(): void {
  for (const [key, entry] of kept) {
    if (entry.listeners.size === 0) kept.delete(key);
    else entry.isOld = true;
  }
  readOld();
}
