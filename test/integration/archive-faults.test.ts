import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { moveDay } from '../../src/archive/move.ts';
import { DAY, HOUR } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf } from '../kit/stored-source.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { BEGIN, HISTORY, archiveGround, placesOf, write } from './archive-ground.ts';
import { BORDER, columnsFrom, makeGround } from './commit-ground.ts';

const databases = useDatabases();
const ground = () => archiveGround(databases);

it('leaves the file of a move whose commit was not answered to the next look, because a server may not know it yet', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  const unanswered: Database = {
    ...database,
    // As of a server that took over, and has not got that far.
    rows: (text, values) => (text.includes('bool_and(replaced_at') ? Promise.resolve([]) : database.rows(text, values)),
    async dedicated() {
      const client = await database.dedicated();
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      const commit = async (): Promise<never> => {
        await query('commit');
        throw new Error('Connection terminated unexpectedly');
      };
      client.query = ((...args: unknown[]) =>
        args[0] === 'commit' ? commit() : query(...args)) as typeof client.query;
      return client;
    },
  };
  await expect(moveDay(unanswered, { projectId, day: BEGIN })).rejects.toThrow('Connection terminated');
  expect(await placesOf(database, directory.path)).toEqual({ rows: 4, archived: 96, found: 96 });
  await directory.remove();
});

it('makes no archived reading a row again for a window that is not handed over', async () => {
  const directory = await makeTempDirectory('archive');
  const old = await makeGround(databases, { directory: directory.path, after: DAY });
  const from = BORDER - 10 * DAY;
  const window = { from, to: from + HOUR };
  const batch = batchOf(columnsFrom(from, 10));
  await old.commit({ window, batch });
  await old.commit({ window: { from: BORDER - DAY, to: BORDER }, batch: batchOf(columnsFrom(BORDER - DAY, 2)) });
  expect(await moveDay(old.database, { projectId: old.source.projectId, day: from })).toMatchObject({ rows: 10 });
  const rows = () => old.database.row('select count(*)::int as rows from reading');
  const lost = { window, batch, covered: [window], workerId: randomUUID() };
  await expect(old.commit(lost)).rejects.toMatchObject({ code: 'cancelled' });
  expect(await rows()).toEqual({ rows: 2 });
  expect(await old.commit({ window, batch, covered: [window] })).toMatchObject({ fresh: 0, duplicates: 10 });
  expect(await rows()).toEqual({ rows: 12 });
  await directory.remove();
});
