import { expect, test } from 'vitest';
import type { RefusalReason } from '../../src/core/reading.ts';
import { remedyOf } from '../../src/core/refusal-remedies.ts';
import { repairOf } from '../../src/source/repair.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';

const databases = useDatabases();

test('a change of options proposes the backfill for points whose quality they may explain', async () => {
  const database = await databases.create();
  const stored = await storeSource(database);
  const stream = await storeStream(database, stored);
  const refused = { 'unknown-quality': '{1,2}', 'bad-quality': '{3}', boolean: '{4}' };
  for (const [reason, points] of Object.entries(refused)) {
    await database.run(
      `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples) values ($1, '2026-11-01', 'a', 'x', $2, $3, '[]')`,
      [stream, reason, points],
    );
  }
  const source = { name: 'source', organisation: 'default', schedule: { align: 1_000_000 }, mapping: {} };
  const mended = async (path: string): Promise<readonly RefusalReason[] | undefined> =>
    (
      await repairOf(database, source as never, {
        sourceId: stored.sourceId,
        differences: [{ path, before: undefined, after: 'good' }],
      })
    )?.reasons.toSorted();
  expect(await mended('options.qualities.192')).toEqual(['bad-quality', 'unknown-quality']);
  // A platform may call the option as it likes.
  expect(await mended('options.codes[7]')).toEqual(['unknown-quality']);
  expect(await mended('schedule.every')).toBeUndefined();
  for (const reason of ['unknown-quality', 'bad-quality'] as const) {
    expect(remedyOf(reason, 'operator')).not.toMatch(/no field of the source/i);
  }
});
