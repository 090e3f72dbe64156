import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { openSourceOf } from '../kit/open-source.ts';
import { readingsIn, storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { goRound } from './held-loops.ts';
import { useHosts } from './host-ground.ts';
import type { Host } from './host-ground.ts';

// The clock of the machine, which a host shares with its database, is ahead for a while and goes back, under a daemon that polls.

vi.mock('../../src/database/repeat.ts', async () => (await import('./held-loops.ts')).heldRepeat);

const databases = useDatabases();
const startHost = useHosts();

const trueNow = (): Instant => Date.now() * 1000;

/** A database whose `now()` a test moves: its functions come before those of PostgreSQL. */
async function movableDatabase(): Promise<{ url: string; putAhead(length: Microseconds): Promise<void> }> {
  const url = await databases.createMigrated();
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`
    create schema moved;
    create table moved.clock (ahead interval not null);
    insert into moved.clock values ('0');
    create function moved.now() returns timestamptz language sql stable return pg_catalog.now() + (select ahead from moved.clock);
    create function moved.clock_timestamp() returns timestamptz language sql volatile
      return pg_catalog.clock_timestamp() + (select ahead from moved.clock);
    alter database ${new URL(url).pathname.slice(1)} set search_path = public, moved, pg_catalog`);
  return { url, putAhead: (length) => run(`update moved.clock set ahead = interval '${length} microseconds'`) };
}

/** A daemon with one source, whose platform has a point for every second that is over. */
async function startPolling(url: string): Promise<Host & { readonly database: Database }> {
  const stored: StoredSource[] = [];
  const start = Math.floor(trueNow() / SECOND) * SECOND - 10 * SECOND;
  const host = await startHost(url, {
    clockSeconds: 3_600,
    sourceOf: () =>
      openSourceOf(stored[0] as StoredSource, {
        policy: { start, settle: 0, align: SECOND, overlap: 0, maxWindow: HOUR },
        read: ({ from, to }) => {
          const at: Instant[] = [];
          for (let each = from; each < Math.min(to, trueNow()); each += SECOND) at.push(each);
          return at.length === 0 ? [] : [{ sensor: 'pump', variable: 'flow', at, values: at.map(() => 1) }];
        },
      }),
  });
  const { database } = host.context;
  const source = await storeSource(database, 'source', { every: SECOND });
  stored.push(source);
  await storeStream(database, source);
  return { ...host, database };
}

const endOfCoverage = async (database: Database): Promise<Instant> =>
  (await database.row<{ end: Instant | null }>('select instant_of(upper(covered)) as end from stream'))?.end ?? 0;

/** Waits until every second of a stretch is a reading. */
const allRead = (database: Database, from: Instant, to: Instant): Promise<true> =>
  eventually(
    'the readings of each second',
    async () => {
      const read = new Set((await readingsIn(database)).map((line) => Number(line.split(' ')[1])));
      const lacking: Instant[] = [];
      for (let at = Math.ceil(from / SECOND) * SECOND; at < to; at += SECOND) if (!read.has(at)) lacking.push(at);
      return lacking.length === 0 || new Waiting(lacking);
    },
    60_000,
  );

const REPAIRED = 'the clock of the database was ahead; windows are asked again and impossible waits dropped';

it('a clock that was minutes ahead loses nothing: the daemon asks again and says so', async () => {
  const { url, putAhead } = await movableDatabase();
  const { database, log } = await startPolling(url);
  await eventually('the first readings', async () => (await readingsIn(database)).length > 0);
  const begun = trueNow();
  await putAhead(3 * MINUTE);
  await goRound();
  await eventually('coverage of the future', async () => (await endOfCoverage(database)) > trueNow() + 2 * MINUTE);
  expect(log).not.toContain(REPAIRED);
  await putAhead(0);
  await goRound();
  expect(log.filter((line) => line === REPAIRED)).toHaveLength(1);
  await allRead(database, begun, trueNow() + 2 * SECOND);
  await goRound();
  expect(log.filter((line) => line === REPAIRED)).toHaveLength(1);
});

it('nothing is lost where the clock was ahead by less than the time that it was ahead', async () => {
  const { url, putAhead } = await movableDatabase();
  const { database, log } = await startPolling(url);
  await eventually('the first readings', async () => (await readingsIn(database)).length > 0);
  const begun = trueNow();
  await putAhead(4 * SECOND);
  await goRound();
  await eventually('the time at which the first windows were asked', async () => {
    const early = await database.row(
      'select from window_log where asked_at between at_instant($1) and at_instant($2)',
      [begun + 5 * SECOND, trueNow()],
    );
    return early !== undefined;
  });
  await putAhead(0);
  await goRound();
  expect(log.filter((line) => line === REPAIRED)).toHaveLength(1);
  await allRead(database, begun, trueNow());
});

it('a host whose own clock disagrees repairs nothing', async () => {
  const url = await databases.createMigrated();
  let ahead: number | undefined;
  const { context, log } = await startHost(url, { ahead: () => ahead });
  const { database } = context;
  await storeSource(database);
  await database.run(`update source set held_until = now() + interval '3 days'`);
  ahead = 3 * MINUTE;
  await goRound();
  expect(await database.row('select held_until is null as lifted from source')).toEqual({ lifted: false });
  ahead = undefined;
  await goRound();
  expect(await database.row('select held_until is null as lifted from source')).toEqual({ lifted: true });
  expect(log).toContain(REPAIRED);
});
