import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sourceCacheOf } from './source-cache.ts';
import type { SourceCache } from './source-cache.ts';
import { HOUR } from '../../core/instant.ts';
import type { Connection } from '../../platform/connection/index.ts';
import type { KeptSource, OpenSource, SourceRow } from './open-source.ts';

const row = (id: number, revision = 1): SourceRow => ({ id, edition: `${id}.${revision}` }) as SourceRow;

const kept = (edition: string, close: () => Promise<void>, forgotten: () => void = () => undefined): KeptSource => ({
  open: () => ({ edition }) as OpenSource,
  connection: { rest: () => undefined, close } as Connection,
  rules: { close: forgotten } as OpenSource['rules'],
});

/** A cache of sources that record when they are opened and closed. */
function made(now = () => 0): { sources: SourceCache; told: string[] } {
  const told: string[] = [];
  const open = async ({ id, edition }: SourceRow): Promise<KeptSource> => {
    told.push(`open ${edition}`);
    await turn();
    if (id < 0) throw new Error('cannot be opened');
    return kept(edition, () => Promise.resolve(void told.push(`close ${edition}`)));
  };
  return { sources: sourceCacheOf(open, now), told };
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

it('a source that nobody used for an hour is closed, but none in use', async () => {
  let now = 0;
  const { sources, told } = made(() => now);
  const { promise, resolve } = Promise.withResolvers<void>();
  const long = sources.use(row(1), () => promise);
  await sources.use(row(2), nothing);
  now = HOUR - 1;
  await sources.use(row(3), nothing);
  await sources.use(row(4), nothing);
  expect([1, 2, 3, 4].map((id) => sources.editionOf(id))).toEqual(['1.1', '2.1', '3.1', '4.1']);
  now = HOUR;
  await sources.use(row(3), nothing);
  await turn();
  expect(told.filter((one) => one.startsWith('close'))).toEqual(['close 2.1']);
  resolve();
  await long;
  await turn();
  expect(told.filter((one) => one.startsWith('close'))).toEqual(['close 2.1', 'close 1.1']);
  expect([1, 2, 3, 4].map((id) => sources.editionOf(id))).toEqual([undefined, undefined, '3.1', '4.1']);
  await sources.closeAll();
});

it('ten thousand sources stay open', async () => {
  const { sources, told } = made();
  for (let round = 0; round < 2; round += 1) {
    for (let id = 1; id <= 10_000; id += 1) await sources.use(row(id), nothing);
  }
  expect(told).toHaveLength(10_000);
  await sources.closeAll();
});

it('an error of closing a source does not reach the work on others', async () => {
  const open = ({ edition }: SourceRow): Promise<KeptSource> =>
    Promise.resolve(kept(edition, () => Promise.reject(new Error('does not close'))));
  const sources = sourceCacheOf(open, () => 0);
  await sources.use(row(1), nothing);
  await sources.use(row(1, 2), nothing);
  await turn();
  await sources.closeAll();
  expect(sources.editionOf(1)).toBeUndefined();
});

it('work that fails leaves its source unused', async () => {
  let now = 0;
  const { sources, told } = made(() => now);
  await expect(sources.use(row(1), () => Promise.reject(new Error('fails')))).rejects.toThrow('fails');
  now = HOUR;
  await sources.use(row(2), nothing);
  await turn();
  expect(told).toContain('close 1.1');
  await sources.closeAll();
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
  const openings = new Map<string, PromiseWithResolvers<KeptSource>>();
  const open = ({ edition }: SourceRow): Promise<KeptSource> => {
    const opening = Promise.withResolvers<KeptSource>();
    openings.set(edition, opening);
    return opening.promise;
  };
  const sources = sourceCacheOf(open, () => 0);
  const old = sources.use(row(1), nothing);
  const current = sources.use(row(1, 2), nothing);
  openings.get('1.1')?.reject(new Error('cannot be opened'));
  await expect(old).rejects.toThrow('cannot be opened');
  expect(sources.editionOf(1)).toBe('1.2');
  openings.get('1.2')?.resolve(kept('1.2', nothing));
  await current;
});

it('a closed source forgets its names, and all are closed only when each has been', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const told: string[] = [];
  const open = ({ id, edition }: SourceRow): Promise<KeptSource> =>
    Promise.resolve(
      kept(
        edition,
        () => promise,
        () => void told.push(`names of ${id}`),
      ),
    );
  const sources = sourceCacheOf(open, () => 0);
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
