import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { gathering } from './gathering.ts';
import type { GatheredStatement } from './gathering.ts';

afterEach(() => {
  vi.useRealTimers();
});

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** A database that answers each statement when a test says so, with the square of every item. */
function statements() {
  const open: {
    items: readonly number[];
    rows: string;
    answer: (leave?: readonly number[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const ask: GatheredStatement<number, number> = (items, rows) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<number, number>>();
    const answer = (leave: readonly number[] = []): void =>
      resolve(new Map(items.filter((item) => !leave.includes(item)).map((item) => [item, item * item])));
    open.push({ items, rows, answer, fail: reject });
    return promise;
  };
  const at = (place: number): (typeof open)[number] => {
    const one = open[place];
    if (one === undefined) throw new Error(`there is no statement ${place}`);
    return one;
  };
  return { ask, at, asked: () => open.map(({ items, rows }) => `${items.join(' ')}${rows && ` ${rows}`}`) };
}

/** Runs all callbacks that are ready to run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const outcome = (answer: Promise<unknown>): Promise<unknown> =>
  answer.catch((error: unknown) => (error instanceof Error ? error.message : error));

describe('gathering', () => {
  it('puts items that come while a statement is under way into the next one; an item that comes alone does not wait', async () => {
    const { ask, at, asked } = statements();
    const one = gathering(ask);
    const first = one(1);
    expect(asked()).toEqual(['1 skip locked']);
    const others = [2, 3, 4].map((item) => one(item));
    await settle();
    expect(asked()).toHaveLength(1);
    at(0).answer();
    expect(await first).toBe(1);
    await settle();
    expect(asked()).toEqual(['1 skip locked', '2 3 4 skip locked']);
    at(1).answer();
    expect(await Promise.all(others)).toEqual([4, 9, 16]);
    await settle();
    void one(5);
    expect(asked()).toHaveLength(3);
  });

  it('waits for a locked row apart, so that other items do not wait for it', async () => {
    const { ask, at, asked } = statements();
    const one = gathering(ask);
    const [busy, gone, after] = [one(2), one(3), one(4)];
    at(0).answer([2]);
    await settle();
    expect(asked()).toEqual(['2 skip locked', '2', '3 4 skip locked']);
    at(2).answer([3]);
    expect(await after).toBe(16);
    await settle();
    at(3).answer([3]);
    expect(await gone).toBeUndefined();
    at(1).answer();
    expect(await busy).toBe(4);
  });

  it.each(['22012', '40P01', '40001'])(
    'asks for the items one by one where the whole group failed with %s',
    async (code) => {
      const { ask, at, asked } = statements();
      const one = gathering(ask);
      const first = one(1);
      const others = [2, 3].map((item) => outcome(one(item)));
      at(0).answer();
      await first;
      await settle();
      at(1).fail(failure(code));
      await settle();
      expect(asked()).toEqual(['1 skip locked', '2 3 skip locked', '2', '3']);
      at(2).fail(failure('bad row'));
      at(3).answer();
      expect(await Promise.all(others)).toEqual(['bad row', 9]);
    },
  );

  it('fails the whole group without another statement where the database is away', async () => {
    const { ask, at, asked } = statements();
    const one = gathering(ask);
    const first = one(1);
    const others = [2, 3].map((item) => outcome(one(item)));
    at(0).answer();
    await first;
    await settle();
    at(1).fail(failure('57P01'));
    expect(await Promise.all(others)).toEqual(['57P01', '57P01']);
    const next = one(4);
    await settle();
    expect(asked()).toEqual(['1 skip locked', '2 3 skip locked', '4 skip locked']);
    at(2).answer();
    expect(await next).toBe(16);
  });

  it('goes on beside a statement whose connection hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { ask, at, asked } = statements();
    const one = gathering(ask);
    const hanging = one(1);
    const next = one(2);
    await vi.advanceTimersByTimeAsync(900);
    expect(asked()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(asked()).toEqual(['1 skip locked', '2 skip locked']);
    at(1).answer();
    expect(await next).toBe(4);
    at(0).answer();
    expect(await hanging).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives each item its own answer, whatever happens to other items and however statements end', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('good', 'busy', 'bad', 'gone'), { minLength: 1, maxLength: 30 }),
        fc.scheduler(),
        async (kinds, scheduler) => {
          let together = 0;
          let most = 0;
          const done = kinds.map(() => 0);
          const ask: GatheredStatement<number, string> = async (items, rows) => {
            together += rows ? 1 : 0;
            most = Math.max(most, together);
            await scheduler.schedule(Promise.resolve());
            together -= rows ? 1 : 0;
            if (items.some((item) => kinds[item] === 'bad')) throw failure('22012');
            const found = items.filter((item) => kinds[item] === 'good' || (kinds[item] === 'busy' && rows === ''));
            for (const item of found) done[item] = (done[item] ?? 0) + 1;
            return new Map(found.map((item) => [item, `answer ${item}`]));
          };
          const one = gathering(ask);
          const all = kinds.map(async (_, item) => {
            await scheduler.schedule(Promise.resolve());
            return await outcome(one(item));
          });
          await scheduler.waitAll();
          const expected = { good: 'answer', busy: 'answer', bad: '22012', gone: undefined };
          expect(await scheduler.waitFor(Promise.all(all))).toEqual(
            kinds.map((kind, item) => (expected[kind] === 'answer' ? `answer ${item}` : expected[kind])),
          );
          expect(done).toEqual(kinds.map((kind) => (expected[kind] === 'answer' ? 1 : 0)));
          expect(most).toBe(1);
        },
      ),
    ));
});
