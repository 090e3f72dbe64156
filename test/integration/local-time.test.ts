import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { kinds } from '../../adapters/kinds.ts';
import { HOUR, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import { parseSource } from '../../src/core/source/source.ts';
import type { Database } from '../../src/database/database.ts';
import { memoryAccount, memoryTokens } from '../../src/platform/connection/index.ts';
import { history } from '../../src/pull/history/history.ts';
import { openSource } from '../../src/pull/open/open-source.ts';
import type { OpenSource } from '../../src/pull/open/open-source.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf } from '../kit/open-source.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { oracleInstants } from '../kit/time-changes.ts';
import { wallClockPlatform, wallClockPoints } from '../kit/wall-clock-platform.ts';
import type { WallClockPoint } from '../kit/wall-clock-platform.ts';
import { dueHistories } from '../kit/work.ts';

// A platform that knows local times only, polled over both changes of its clocks on a real database. Its points come into being
// at their instants; every one of them must be stored at the instant that its local time means.

const ZONE = 'Europe/Berlin';
const AUTUMN = parseInstant('2025-10-26T01:00:00Z') ?? NaN;
const SPRING = parseInstant('2025-03-30T01:00:00Z') ?? NaN;

const databases = useDatabases();
let database: Database;
let stored: StoredSource;
let streamId: number;
let now: number;

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database);
  streamId = await storeStream(database, stored);
  await database.run('update source set discovered_at = now()');
});

async function open(points: readonly WallClockPoint[], start: number, dst: string): Promise<OpenSource> {
  const platform = wallClockPlatform(points, () => now);
  const input = {
    name: 'source',
    project: 'project',
    kind: 'custom',
    platform: 'wall-clock',
    connection: { url: 'http://127.0.0.1:1' },
    schedule: { every: '5m', start: '1h', settle: '10s', overlap: '10m' },
    mapping: { timezone: ZONE, dst },
  };
  const parsed = parseSource(input, [platform], { kinds });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return await openSource(
    { id: stored.sourceId, revision: 1, edition: stored.edition, projectId: stored.projectId, start },
    {
      config: parsed.source,
      platform,
      shared: () => ({ pacer: undefined as never, tokens: memoryTokens(), account: memoryAccount() }),
      now: () => now,
      allowHosts: undefined,
    },
  );
}

const never = new AbortController().signal;

async function readings(): Promise<string[]> {
  const rows = await database.rows<{ line: string }>(
    `select concat_ws(' ', instant_of(at), value, label_set.labels::text) as line
     from reading left join label_set on label_set.id = reading.labels`,
  );
  return rows.map(({ line }) => line).toSorted();
}

const refusals = async (): Promise<unknown> =>
  database.rows(
    'select reason, sum(cardinality(points))::int as refused from refused_hour group by reason order by reason',
  );

/** The readings that the points mean, by the calendar itself. */
function meant(points: readonly WallClockPoint[], choice: 'earlier' | 'later' | 'refuse'): string[] {
  return points
    .flatMap(({ local, value }) => {
      const instants = oracleInstants(ZONE, parseInstant(local) ?? NaN);
      if (instants.length > 1 && choice === 'refuse') return [];
      const at = choice === 'later' ? instants.at(-1) : instants[0];
      return [`${at} ${value}${instants.length > 1 ? ' {ambiguous-time}' : ''}`];
    })
    .toSorted();
}

it.each([
  ['autumn', AUTUMN, 'earlier'],
  ['autumn', AUTUMN, 'later'],
  ['autumn', AUTUMN, 'refuse'],
  ['spring', SPRING, 'earlier'],
] as const)(
  'every point is stored once where live polls go over the change of %s (%i, dst: %s)',
  async (_, change, dst) => {
    const [from, to] = [change - 3 * HOUR, change + 3 * HOUR];
    const points = wallClockPoints(ZONE, from, to, 157 * SECOND + 1);
    const source = await open(points, from, dst);
    const workerId = randomUUID();
    for (now = from; now <= to + 10 * MINUTE; now += 10 * MINUTE) {
      const bridge = bridgeOf(database, { source, now: () => now, workerId });
      await poll(bridge, stored.sourceId, never);
      await history(bridge, streamId, never);
    }
    await source.connection.close();
    expect(await readings()).toEqual(meant(points, dst));
    const twice = points.filter(({ local }) => oracleInstants(ZONE, parseInstant(local) ?? NaN).length > 1);
    expect(await refusals()).toEqual(
      dst === 'refuse' ? [{ reason: 'local-time-repeated', refused: twice.length }] : [],
    );
  },
);

it('a backfill over both changes stores every point, and refuses local times that never existed', async () => {
  const [from, to] = [SPRING - 2 * HOUR, SPRING + 4 * HOUR];
  // The clock of this plant was put forward an hour late.
  const points = wallClockPoints(ZONE, from, to, 5 * MINUTE).map((point) =>
    point.at >= SPRING && point.at < SPRING + HOUR ? { ...point, local: point.local.replace('T03:', 'T02:') } : point,
  );
  const source = await open(points, from, 'earlier');
  now = to + HOUR;
  await dueHistories(database);
  const bridge = bridgeOf(database, { source, now: () => now, workerId: randomUUID() });
  await poll(bridge, stored.sourceId, never);
  for (let run = 0; run < 20; run += 1) await history(bridge, streamId, never);
  await source.connection.close();
  const missing = points.filter(({ local }) => local.includes('T02:'));
  expect(missing).toHaveLength(12);
  expect(await readings()).toEqual(
    meant(
      points.filter((point) => !missing.includes(point)),
      'earlier',
    ),
  );
  expect(await refusals()).toEqual([{ reason: 'local-time-missing', refused: missing.length }]);
});
