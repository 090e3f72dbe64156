import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { openBridge } from '../../src/context-bridge.ts';
import type { OpenBridge } from '../../src/context-bridge.ts';
import { MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import { parseSource } from '../../src/core/source/source.ts';
import { loadedOf } from '../../src/platform/registry.ts';
import { fetchWindow } from '../../src/pull/fetch-window.ts';
import type { FetchResult } from '../../src/pull/fetch-window.ts';
import type { SourceRow, Stream } from '../../src/pull/open/open-source.ts';
import { readSettings } from '../../src/settings.ts';
import { applySource } from '../../src/source/registration.ts';
import { useDatabases } from '../kit/databases.ts';
import { backUp } from '../kit/restore.ts';
import { claimAll, storeStream } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { eventually } from './daemon-rig.ts';

// An open source remembers which names its variables hold, and which series it owns. A backup without them is restored under the
// process. Its configuration is the same, so nothing else would open the source anew.

const databases = useDatabases();
const FROM = parseInstant('2026-03-01T00:00:00Z') ?? 0;
let context: OpenBridge | undefined;

afterEach(async () => {
  await context?.close();
});

async function open(): Promise<OpenBridge> {
  const env = {
    DATABASE_URL: await databases.createMigrated(),
    DATABRIDGE_HOME: '/nowhere',
    DATABRIDGE_KEY: SEALING_KEY,
  };
  context = await openBridge({ settings: readSettings(env), log: pino({ level: 'silent' }) });
  return context;
}

/** Registers the source `north`; the answer is its row as a claim returns it. */
async function register({ database, sealing, registry }: OpenBridge): Promise<SourceRow> {
  await database.run(`insert into ml_project (organisation_id, code, name) values ('default', 'hall', 'Hall')`);
  const written = {
    name: 'north',
    project: 'hall',
    kind: 'user-credentials',
    platform: 'thingsboard',
    connection: { url: 'http://127.0.0.1:9', username: 'anna', password: 's3cret' },
    schedule: { every: '1m' },
  };
  const parsed = parseSource(written, await loadedOf(registry.platforms), { kinds: registry.kinds });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join());
  await applySource({ database, sealing, registry }, parsed.source, { now: FROM, actor: 'tester', dryRun: false });
  const row = await database.row<SourceRow & Record<string, unknown>>(
    `select id, name, organisation_id as organisation, revision, edition, project_id as "projectId", instant_of(start_at) as start, config from source`,
  );
  if (row === undefined) throw new Error('no source was stored');
  return row;
}

/** Polls one second, in which the variable `a b` of the pump has one value. The process keeps the source open from poll to poll. */
const pollOnce = (bridge: OpenBridge, row: SourceRow, streamId: number): Promise<FetchResult> =>
  bridge.sources.use(row, (source) => {
    const read = async function* () {
      yield { sensor: 'pump', variable: 'a b', at: [FROM], values: [7] };
    };
    const policy = { start: FROM, settle: 0, align: SECOND, overlap: 0, maxWindow: MINUTE };
    return fetchWindow(
      bridge,
      {
        source: { ...source, policy, platform: { ...source.platform, read } },
        stream: {
          id: streamId,
          key: 'stream',
          selection: {},
          unreadable: [],
          looksNoted: 0,
          covered: [],
        } as unknown as Stream,
        lane: 'live',
        window: { from: FROM, to: FROM + SECOND },
        learned: { length: SECOND },
      },
      new AbortController().signal,
    );
  });

it.each([
  [
    'series that belongs to another source',
    'series-of-another',
    `insert into series (project_id, sensor_id, value_name, owner) select id, 'pump', $1, 'south' from ml_project`,
  ],
  [
    'name that another variable holds',
    'name-collision',
    `with mine as (insert into series (project_id, sensor_id, value_name, owner)
       select id, 'pump', $1, 'north' from ml_project returning *)
     insert into series_name (source_id, sensor_id, value_name, holder)
       select source.id, sensor_id, value_name, '["pump","a-b"]' from mine cross join source`,
  ],
])('a source that stays open writes to no %s in the restored database', async (_, reason, change) => {
  const bridge = await open();
  const { database } = bridge;
  const row = await register(bridge);
  const streamId = await storeStream(database, { sourceId: row.id, projectId: row.projectId, edition: row.edition });
  await database.run('update stream set source_revision = (select revision from source)');
  await claimAll(database, bridge.workerId);
  const backup = await backUp(database.url, databases.copy);
  /** The pool finds out that its connections are gone when it uses them. */
  const settled = <T>(work: () => Promise<T>): Promise<T> =>
    eventually('an answer of the database', () => work().catch(() => false as const)) as Promise<T>;
  await settled(() => pollOnce(bridge, row, streamId));
  const series = await database.row<{ name: string }>('select value_name as name from series');
  expect(await database.rows('select value from reading')).toEqual([{ value: 7 }]);

  await backup.restore((client) => client.query(change, [series?.name]));
  expect(await settled(() => database.rows('select from reading'))).toEqual([]);
  // The first window finds out that the database is another state. It stores nothing.
  await expect(pollOnce(bridge, row, streamId)).rejects.toMatchObject({ code: 'cancelled' });
  await pollOnce(bridge, row, streamId);
  expect(await database.rows('select value from reading')).toEqual([]);
  expect(
    await database.rows('select variable, reason from refused_hour cross join unnest(points) order by variable'),
  ).toEqual([{ variable: 'a b', reason }]);
});
