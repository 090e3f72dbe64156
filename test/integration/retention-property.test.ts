import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/core/instant.ts';
import { binnedReadings, listSeries } from '../../src/ingest/binned-readings.ts';
import { pushedSeriesOf } from '../../src/ingest/pushed-series.ts';
import { readingsByBucket } from '../../src/source/coverage-buckets.ts';
import { useDatabases } from '../kit/databases.ts';
import {
  BEGIN,
  DAYS,
  HISTORY,
  HISTORY_BY_KEY,
  RANGE,
  archiveGround,
  keyOf,
  linesIn,
  linesOf,
  moveAll,
  write,
} from './archive-ground.ts';
import type { Point } from './archive-ground.ts';
import { from, holds, keepFrom, leftBefore, trim } from './retention-ground.ts';

const databases = useDatabases();
const ground = () => archiveGround(databases);

const point: fc.Arbitrary<Point> = fc.record({
  sensor: fc.constantFrom('a', 'b', 'c'),
  at: fc.integer({ min: 0, max: DAYS * 4 - 1 }).map((quarter) => BEGIN + quarter * 6 * HOUR + 1),
  value: fc.integer({ min: 0, max: 3 }),
  precision: fc.constantFrom(undefined, 50),
  labels: fc.constantFrom<readonly string[]>([], ['x']),
});
type Step =
  | { readonly write: readonly Point[] }
  | { readonly move: number }
  | { readonly keep: number }
  | { readonly trim: number }
  | { readonly hold: boolean };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ write: fc.array(point, { minLength: 1, maxLength: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ move: fc.integer({ min: 1, max: DAYS }) }) },
  { weight: 2, arbitrary: fc.record({ keep: fc.integer({ min: 0, max: DAYS }) }) },
  // After so many steps the run ends, as that of a process that was stopped.
  { weight: 3, arbitrary: fc.record({ trim: fc.constantFrom(1, 2, 99) }) },
  { weight: 1, arbitrary: fc.record({ hold: fc.boolean() }) },
);

it('shows exactly the truth from the bound on, whatever was written, moved, held and removed in which order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const { database, projectId, directory } = await ground();
      const model = new Map<string, Point>();
      let [bound, wanted, held] = [-Infinity, -Infinity, false];
      for (const one of steps) {
        if ('write' in one) {
          await write(database, projectId, one.write);
          for (const each of one.write) model.set(keyOf(each), each);
        } else if ('move' in one) {
          for (const outcome of await moveAll(database, BEGIN + one.move * DAY))
            expect(['moved', 'merged']).toContain(outcome);
        } else if ('keep' in one) {
          wanted = BEGIN + one.keep * DAY;
          await keepFrom(database, wanted);
        } else if ('hold' in one) {
          held = one.hold;
          await holds(database, held ? 'inquiry' : undefined);
        } else {
          const outcomes = await trim(database, one.trim);
          if (held) expect(outcomes.every((outcome) => outcome === 'held')).toBe(true);
          else {
            bound = Math.max(bound, wanted);
            if (one.trim === 99 && bound > -Infinity)
              expect(await leftBefore(database, bound)).toEqual({ rows: 0, files: 0 });
          }
        }
        // Nothing from before the bound is moved into files.
        if (bound > -Infinity) expect(await leftBefore(database, bound)).toMatchObject({ files: 0 });
        const seen = from(model, bound);
        expect(await linesOf(database, projectId)).toEqual(linesIn(seen));
        const own = [...seen.values()].filter(({ sensor }) => sensor === 'a');
        const chart = { sensorId: 'a', valueName: 'value', range: RANGE, bins: 7 };
        const { bins = [] } = (await binnedReadings(database, projectId, chart)) ?? {};
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(own.length);
        const [series] = await listSeries(database, projectId, { sensor: 'a', limit: 1 });
        const newest = own.length === 0 ? null : Math.max(...own.map(({ at }) => at));
        expect(series?.newestAt ?? null).toBe(newest);
        const ids = await database.rows<{ id: number }>('select id from series');
        const counts = await readingsByBucket(
          database,
          ids.map(({ id }) => id),
          [RANGE.from, RANGE.to],
        );
        expect(counts).toEqual([seen.size]);
        await database.run(`update series set owner = ''`);
        const page = { projectId, range: RANGE, sensor: undefined, after: undefined, limit: 10 };
        const pushed = await pushedSeriesOf(database, page, 10_000);
        expect(pushed.reduce((sum, { count }) => sum + count, 0)).toBe(seen.size);
      }
      await directory.remove();
    }),
    { numRuns: 15 },
  );
});

it('shows exactly the truth from the bound on when the process that removes is killed before any statement', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  // More than a statement removes.
  await database.run(
    `insert into reading (series, at, value) select (select min(id) from series), at_instant($1::bigint + n), 1 from generate_series(1, 25000) as n`,
    [BEGIN],
  );
  const all = await linesOf(database, projectId);
  const bound = BEGIN + DAY;
  await keepFrom(database, bound);
  const kept = linesIn(from(HISTORY_BY_KEY, bound));
  const runner = new URL('retention-runner.ts', import.meta.url).pathname;
  let killed = 0;
  for (let statement = 1; ; statement += 1) {
    const { signal, stderr } = spawnSync(process.execPath, [runner, database.url, String(statement)], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const seen = await linesOf(database, projectId);
    expect([all.length, kept.length]).toContain(seen.length);
    if (seen.length === kept.length) expect(seen).toEqual(kept);
    if (signal === null) break;
    killed += 1;
  }
  expect(killed).toBeGreaterThan(10);
  expect(await leftBefore(database, bound)).toEqual({ rows: 0, files: 0 });
  await directory.remove();
});
