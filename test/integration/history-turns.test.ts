import { expect, it } from 'vitest';
import { coverageOf, totalLength } from '../../src/core/coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { lengthOf } from '../../src/core/window.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { backfillState } from '../../src/source/backfill/state.ts';
import { FROM, useHistory } from './history-ground.ts';

// A gap and a backfill that a stream has at a time, and what a run leaves of both and of failures before it.

const lane = useHistory();

it.each([
  ['four windows', SECOND * 10],
  ['one window, as at a slow pace', SECOND * 31],
])('a gap and a long backfill take turns, in runs of %s', async (_name, windowTakes) => {
  const gap = { from: FROM + HOUR, to: FROM + 23 * HOUR };
  await lane.store(HOUR, { from: FROM, to: gap.from }, { from: gap.to, to: FROM + DAY });
  await startBackfill(lane.database, {
    source: { name: 'source' },
    from: FROM - 100 * DAY,
    to: FROM,
    requestedBy: 'tester',
  });
  lane.windowTakes = windowTakes;
  while (lane.now < FROM + DAY + 13 * MINUTE) await lane.run({ catchUp: 'oldest' });
  const inGap = lane.asked.filter(({ to }) => to > FROM);
  expect(lane.asked[0]).toEqual({ from: gap.from, to: gap.from + HOUR });
  expect(inGap.length).toBeGreaterThan(10);
  expect(lane.asked.length - inGap.length).toBeGreaterThan(3);
  // No time was asked twice.
  const lengths = lane.asked.map(lengthOf);
  expect(totalLength(coverageOf(lane.asked))).toBe(lengths.reduce((sum, length) => sum + length, 0));
});

it('asks once for a gap, and for the range of two operators who both want all of it once more', async () => {
  const gap = { from: FROM + 12 * HOUR, to: FROM + 16 * HOUR };
  await lane.store(HOUR, { from: FROM, to: gap.from }, { from: gap.to, to: FROM + DAY });
  const wish = { source: { name: 'source' }, from: FROM, to: FROM + DAY, what: 'all' as const };
  const ids = await Promise.all(
    ['anna', 'ben'].map((requestedBy) => startBackfill(lane.database, { ...wish, requestedBy })),
  );
  while ((await lane.stream()).due !== null) await lane.run();
  expect(lane.asked).toHaveLength(24);
  for (const id of ids) expect(await backfillState(lane.database, id)).toMatchObject({ state: 'done', share: 1 });
});

it('a run that is due again ends a row of failures where it could read its windows', async () => {
  await lane.store(HOUR);
  await lane.failed(2);
  await lane.run();
  expect([lane.asked.length, await lane.shown()]).toEqual([4, { failures: 0, fault: null, lane: null }]);
});

it('a run covers the time of a backfill, which keeps no other account of it', async () => {
  await lane.store(HOUR, { from: FROM + 2 * HOUR, to: FROM + DAY });
  const range = { from: FROM, to: FROM + 2 * HOUR };
  await startBackfill(lane.database, { source: { name: 'source' }, ...range, what: 'missing', requestedBy: 'tester' });
  await lane.run();
  expect(lane.asked).toHaveLength(2);
  expect(await lane.database.row('select state, done::text from backfill join backfill_stream on true')).toEqual({
    state: 'done',
    done: '{}',
  });
});
