import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { databridgeHere } from './command-line.ts';

// Each command that shows a source or project tells the operator that its outbox is full.

const databases = useDatabases();
let database: Database;
let name: string;

beforeAll(async () => {
  database = await databases.create();
  const { sourceId, projectId } = await storeSource(database);
  await database.run(
    `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, full_since)
     values ($1, 'https://there.example', 'default', 'hall', 'app', 'sealed', 10, '2026-11-21T08:00:00Z')`,
    [projectId],
  );
  await database.run(
    `insert into backfill (source_id, from_at, to_at, what, requested_by) values ($1, '2026-01-01', '2026-01-02', 'missing', 'anna')`,
    [sourceId],
  );
  name = (await database.row<{ name: string }>('select name from source'))?.name ?? '';
});

const told = async (...args: string[]): Promise<string> => {
  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: 'A'.repeat(43), DATABRIDGE_HOME: '/nowhere' };
  const { stdout, stderr } = await databridgeHere(args, { env });
  return stdout + stderr;
};

test.each<[readonly string[], RegExp]>([
  [['source', 'list'], /not asked: the outbox of \S+ is full/],
  [['source', 'list', '--json'], /"outboxFullSince": "2026-11-21T08:00:00/],
  [['source', 'poll', '…'], /when the outbox of its project has room/],
  [['source', 'poll', '…', '--json'], /"outboxFull": true/],
  [['ingestion', 'list'], /active, full/],
  [['backfill', 'show', '1', '--json'], /"outboxFullSince": "2026-11-21T08:00:00/],
  [['doctor'], /✗ delivery[^]*full since 2026-11-21T08:00:00/],
])('%j says that the outbox is full', async (args, said) => {
  expect(await told(...args.map((word) => (word === '…' ? name : word)))).toMatch(said);
});

test('a source that waits for its outbox is not called stalled', async () => {
  await database.run(`update work set due_at = now() - interval '1 day'`);
  const diagnosed = async (): Promise<string> => {
    await database.run(
      `insert into heartbeat (name, beat_at) values ('planner', now()) on conflict (name) do update set beat_at = now()`,
    );
    return await told('doctor');
  };
  expect(await diagnosed()).not.toContain('was due long ago');
  await database.run('update remote set full_since = null');
  expect(await diagnosed()).toContain('was due long ago');
  expect(await told('source', 'list')).not.toContain('is full');
});
