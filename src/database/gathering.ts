import { isDatabaseAway, isRolledBack } from './away.ts';

/**
 * One statement for many items. It answers with what it did to each item whose row it could lock; with `skip locked` as
 * `rows` that is every row nobody else is changing just then, and with nothing it waits for all of them.
 */
export type GatheredStatement<Item, Answer> = (
  items: readonly Item[],
  rows: 'skip locked' | '',
) => Promise<ReadonlyMap<Item, Answer>>;

/** So many items share a statement at the most. */
const MOST = 250;

/** A statement that takes longer does not keep the next group waiting: its connection may be dead. */
const PATIENCE_MS = 1_000;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly done: (answer: Answer | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * While one statement is under way, what arrives gathers for the next: alone an item waits for nobody, and a hundred at
 * a time need two commits instead of a hundred. A group waits for no row, so groups of several processes never wait in
 * a ring; whose row is in other hands is asked for alone, and so is everybody of a group that failed. A database that is
 * away fails the whole group.
 *
 * @returns what asks for one item: its answer, or undefined where there is no such row
 */
export function gathering<Item, Answer>(
  ask: GatheredStatement<Item, Answer>,
): (item: Item) => Promise<Answer | undefined> {
  const waiting: Waiting<Item, Answer>[] = [];
  let running = false;

  async function alone({ item, done, failed }: Waiting<Item, Answer>): Promise<void> {
    try {
      done((await ask([item], '')).get(item));
    } catch (error) {
      failed(error);
    }
  }

  async function settle(group: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const items = group.map(({ item }) => item);
      const answers = await ask(items, 'skip locked');
      for (const one of group) {
        if (answers.has(one.item)) one.done(answers.get(one.item));
        else void alone(one);
      }
    } catch (error) {
      const away = isDatabaseAway(error) && !isRolledBack(error);
      for (const one of group) {
        if (away) one.failed(error);
        else void alone(one);
      }
    }
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) await orLong(settle(waiting.splice(0, MOST)));
    running = false;
  }

  return async (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>();
    waiting.push({ item, done: resolve, failed: reject });
    if (!running) void run();
    return await promise;
  };
}

/** Waits for what goes on, but no longer than is patient. */
async function orLong(settled: Promise<void>): Promise<void> {
  const { promise: long, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  await Promise.race([settled, long]);
  clearTimeout(timer);
}
