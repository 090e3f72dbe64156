import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, isRolledBack } from './away.ts';

/**
 * One statement for many items. Its answer has an entry for each item whose row it could lock. With `skip locked` as `rows`
 * it leaves out rows that other transactions hold; with an empty text it waits for all rows.
 */
export type GatheredStatement<Item, Answer> = (
  items: readonly Item[],
  rows: 'skip locked' | '',
) => Promise<ReadonlyMap<Item, Answer>>;

/** At most this many items share a statement, unless told. */
const MOST_ITEMS = 250;

/** A group that follows one of several items waits so much longer, because a statement costs several times as much as an item in it. */
const LINGER_MS = 20;

/** The next group waits at most this long for a statement, because its connection may be dead. */
const LONGEST_WAIT_MS = 1_000;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly done: (answer: Answer | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * While one statement is under way, items that arrive gather for the next statement. A single item does not wait, and a
 * hundred items at a time need two commits instead of a hundred. A group skips locked rows, so groups of several processes
 * never wait for each other in a ring. An item with a locked row is asked for alone, and so is each item of a group that
 * failed. A database that is away fails the whole group.
 *
 * @returns a function that asks for one item; it resolves to undefined where the item has no row
 */
export function gathering<Item, Answer>(
  ask: GatheredStatement<Item, Answer>,
  most = MOST_ITEMS,
): (item: Item) => Promise<Answer | undefined> {
  const waiting: Waiting<Item, Answer>[] = [];
  let running = false;

  async function askAlone({ item, done, failed }: Waiting<Item, Answer>): Promise<void> {
    try {
      done((await ask([item], '')).get(item));
    } catch (error) {
      failed(error);
    }
  }

  async function askTogether(group: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const items = group.map(({ item }) => item);
      const answers = await ask(items, 'skip locked');
      for (const one of group) {
        if (answers.has(one.item)) one.done(answers.get(one.item));
        else void askAlone(one);
      }
    } catch (error) {
      const away = isDatabaseAway(error) && !isRolledBack(error);
      for (const one of group) {
        if (away) one.failed(error);
        else void askAlone(one);
      }
    }
  }

  async function run(): Promise<void> {
    running = true;
    for (let asked = 0; waiting.length > 0;) {
      if (asked > 1) await sleep(LINGER_MS);
      const group = waiting.splice(0, most);
      asked = group.length;
      await endedOrOverdue(askTogether(group));
    }
    running = false;
  }

  return async (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>();
    waiting.push({ item, done: resolve, failed: reject });
    if (!running) void run();
    return await promise;
  };
}

/** Waits for a statement to end, at most `LONGEST_WAIT_MS`. */
async function endedOrOverdue(ended: Promise<void>): Promise<void> {
  const { promise: overdue, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LONGEST_WAIT_MS);
  await Promise.race([ended, overdue]);
  clearTimeout(timer);
}
