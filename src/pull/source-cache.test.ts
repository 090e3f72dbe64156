import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sourceCacheOf } from './source-cache.ts';
import type { SourceCache } from './source-cache.ts';
import type { OpenSource, SourceRow } from './open-source.ts';

const row = (id: number, revision = 1): SourceRow => ({ id, edition: `${id}.${revision}` }) as SourceRow;

/** A cache of sources that record when they are opened and closed. */
function made(most = 10): { sources: SourceCache; told: string[] } {
  const told: string[] = [];
  const open = async ({ id, edition }: SourceRow): Promise<OpenSource> => {
    told.push(`open ${edition}`);
    await turn();
    if (id < 0) throw new Error('cannot be opened');
    const connection = { close: () => Promise.resolve(void told.push(`close ${edition}`)) };
    return { id, edition, connection, rules: { close: () => undefined } } as unknown as OpenSource;
  };
  return { sources: sourceCacheOf(open, { most, random: () => 0 }), told };
}

const nothing = (): Promise<void> => Promise.resolve();

it('a source is opened once, also for two polls at a time, and again when it has changed', async () => {
  const { sources, told } = made();
  expect(sources.editionOf(1)).toBeUndefined();
  await Promise.all([sources.use(row(1), nothing), sources.use(row(1), nothing)]);
  await sources.use(row(1), nothing);
  expect(told).toEqual(['open 1.1']);
  expect(sources.editionOf(1)).toBe('1.1');
  expect(await sources.use(row(1, 2), (source) => Promise.resolve(source.edition))).toBe('1.2');
  expect(told).toEqual(['open 1.1', 'open 1.2', 'close 1.1']);
  await sources.closeAll();
  expect(told.at(-1)).toBe('close 1.2');
  expect(told).toHaveLength(4);
});

it('an unused source is closed where there are too many, but none in use', async () => {
  const { sources, told } = made(2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const long = sources.use(row(1), () => promise);
  await sources.use(row(2), nothing);
  await sources.use(row(3), nothing);
  await turn();
  expect(told.filter((one) => one.startsWith('close'))).toEqual(['close 2.1']);
  await sources.use(row(4), nothing);
  await turn();
  expect(told.filter((one) => one.startsWith('close'))).toEqual(['close 2.1', 'close 3.1']);
  resolve();
  await long;
  await sources.use(row(4), nothing);
  await sources.use(row(5), nothing);
  await turn();
  expect(told.at(-1)).toBe('close 1.1');
  expect([1, 2, 3, 4, 5].map((id) => sources.editionOf(id))).toEqual([undefined, undefined, undefined, '4.1', '5.1']);
  await sources.closeAll();
});

it('an error of closing a source does not reach the work on others', async () => {
  const connection = { close: () => Promise.reject(new Error('does not close')) };
  const open = ({ id }: SourceRow): Promise<OpenSource> =>
    Promise.resolve({ id, connection, rules: { close: () => undefined } } as unknown as OpenSource);
  const sources = sourceCacheOf(open, { most: 1, random: () => 0 });
  await sources.use(row(1), nothing);
  await sources.use(row(2), nothing);
  await turn();
  await sources.closeAll();
  expect(sources.editionOf(2)).toBeUndefined();
});

it('a source that cannot be opened is tried again the next time', async () => {
  const { sources, told } = made();
  await expect(sources.use(row(-1), nothing)).rejects.toThrow('cannot be opened');
  expect(sources.editionOf(-1)).toBeUndefined();
  await expect(sources.use(row(-1), nothing)).rejects.toThrow('cannot be opened');
  expect(told).toEqual(['open -1.1', 'open -1.1']);
  await sources.closeAll();
});

it('a source that fails to open after it has changed does not take its newer edition away', async () => {
  const openings = new Map<string, PromiseWithResolvers<OpenSource>>();
  const open = ({ edition }: SourceRow): Promise<OpenSource> => {
    const opening = Promise.withResolvers<OpenSource>();
    openings.set(edition, opening);
    return opening.promise;
  };
  const sources = sourceCacheOf(open, { most: 10, random: () => 0 });
  const old = sources.use(row(1), nothing);
  const current = sources.use(row(1, 2), nothing);
  openings.get('1.1')?.reject(new Error('cannot be opened'));
  await expect(old).rejects.toThrow('cannot be opened');
  expect(sources.editionOf(1)).toBe('1.2');
  openings.get('1.2')?.resolve({ connection: { close: nothing }, rules: { close: () => undefined } } as never);
  await current;
});

it('a closed source forgets its names, and all are closed only when each has been', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const told: string[] = [];
  const open = ({ id }: SourceRow): Promise<OpenSource> =>
    Promise.resolve({
      id,
      connection: { close: () => promise },
      rules: { close: () => void told.push(`names of ${id}`) },
    } as unknown as OpenSource);
  const sources = sourceCacheOf(open, { most: 10, random: () => 0 });
  await sources.use(row(1), nothing);
  await sources.use(row(2), nothing);
  sources.forget();
  expect([sources.editionOf(1), sources.editionOf(2)]).toEqual([undefined, undefined]);
  let closed = false;
  const all = sources.closeAll().then(() => (closed = true));
  await turn();
  expect([told, closed]).toEqual([['names of 1', 'names of 2'], false]);
  resolve();
  await all;
});

it('chance decides which unused source is closed, and work that fails leaves its source unused', async () => {
  const told: number[] = [];
  const open = ({ id }: SourceRow): Promise<OpenSource> =>
    Promise.resolve({
      connection: { close: () => Promise.resolve(void told.push(id)) },
      rules: { close: () => undefined },
    } as unknown as OpenSource);
  const sources = sourceCacheOf(open, { most: 2, random: () => 0.99 });
  await sources.use(row(1), nothing);
  await expect(sources.use(row(2), () => Promise.reject(new Error('fails')))).rejects.toThrow('fails');
  const { promise, resolve } = Promise.withResolvers<void>();
  const long = sources.use(row(3), () => promise);
  await sources.use(row(1), nothing);
  await turn();
  expect(told).toEqual([2]);
  resolve();
  await long;
  await sources.closeAll();
});

it('two thousand sources stay open unless told otherwise', async () => {
  const told: number[] = [];
  const open = ({ id }: SourceRow): Promise<OpenSource> =>
    Promise.resolve({
      connection: { close: () => Promise.resolve(void told.push(id)) },
      rules: { close: () => undefined },
    } as unknown as OpenSource);
  const sources = sourceCacheOf(open);
  for (let id = 1; id <= 2_001; id += 1) await sources.use(row(id), nothing);
  await turn();
  expect(told).toHaveLength(1);
  await sources.closeAll();
});
