import { beforeEach, describe, expect, it } from 'vitest';
import { SECOND } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf } from '../kit/stored-source.ts';
import { makeGround } from './commit-ground.ts';
import type { Ground } from './commit-ground.ts';

const databases = useDatabases();
let ground: Ground;

beforeEach(async () => void (ground = await makeGround(databases)));

describe('a look that is owed', () => {
  const window = (from: number, to: number) => ({ from: from * SECOND, to: to * SECOND });
  const empty = batchOf([]);
  const owed = async (): Promise<unknown> =>
    (await ground.database.row<{ owed: unknown }>('select instants_of(look_again) as owed from stream'))?.owed;

  it('is settled by a window that was planned after it was noted', async () => {
    await ground.commit({ window: window(50, 60), batch: empty, looks: [window(0, 50)] });
    expect(await owed()).toEqual([[0, 50 * SECOND]]);
    await ground.commit({ window: window(0, 20), batch: empty, looksNoted: 1 });
    expect(await owed()).toEqual([[20 * SECOND, 50 * SECOND]]);
  });

  it('is settled by a window that was planned before, only where no point may come that late any more', async () => {
    await ground.commit({ window: window(50, 60), batch: empty, looks: [window(0, 50)] });
    await ground.commit({ window: window(0, 50), batch: empty, settledTo: 30 * SECOND });
    expect(await owed()).toEqual([[30 * SECOND, 50 * SECOND]]);
    await ground.commit({ window: window(0, 60), batch: empty, settledTo: 0, lane: 'history' });
    expect(await owed()).toEqual([[30 * SECOND, 50 * SECOND]]);
  });
});
