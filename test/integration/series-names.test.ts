import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { fetchWindow } from '../../src/pull/fetch-window.ts';
import type { FetchResult } from '../../src/pull/fetch-window.ts';
import { nameKeeper } from '../../src/pull/sensors/series-names.ts';
import type { OpenSource, Stream } from '../../src/pull/open/open-source.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { claimAll, readingsIn, storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

const FROM = parseInstant('2026-03-01T00:00:00Z') ?? 0;

const databases = useDatabases();
const WORKER = randomUUID();
let database: Database;
let stored: StoredSource;
let streamId: number;

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database);
  streamId = await storeStream(database, stored);
  await claimAll(database, WORKER);
});

/** A process that has the source open and remembers the names it gave. A poll shows it variables in order. */
class Process {
  reads = 0;
  readonly source: OpenSource;
  #shown: readonly string[] = [];

  constructor(revision = 1) {
    this.source = openSourceOf(stored, {
      revision,
      policy: { start: FROM, settle: 0, align: SECOND, overlap: 0, maxWindow: MINUTE },
      read: () => {
        this.reads += 1;
        return this.#shown.map((variable, index) => ({
          sensor: 'pump',
          variable,
          at: [FROM + index],
          values: [index],
        }));
      },
    });
  }

  poll(...variables: readonly string[]): Promise<FetchResult> {
    this.#shown = variables;
    return fetchWindow(
      bridgeOf(database, { source: this.source, now: () => FROM, workerId: WORKER }),
      {
        source: this.source,
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
  }
}

const refused = async (): Promise<unknown[]> =>
  database.rows('select variable, reason from refused_hour cross join unnest(points) order by variable, hour');

it('a name stays with the variable that had it first, also in a process that sees another variable first', async () => {
  const one = new Process();
  await one.poll('a b');
  expect(one.reads).toBe(1);
  const other = new Process();
  await other.poll('a-b', 'a b');
  // It read the window again instead of handing readings over under the wrong name.
  expect(other.reads).toBe(2);
  expect(await refused()).toEqual([{ variable: 'a-b', reason: 'name-collision' }]);
  expect(await readingsIn(database)).toEqual([`pump ${FROM} 0 -`, `pump ${FROM + 1} 1 -`]);
  await other.poll('a-b', 'a b');
  expect(other.reads).toBe(3);
});

it('two processes that give a name at the same time agree on its variable', async () => {
  const [one, other] = [new Process(), new Process()];
  await Promise.all([one.poll('a b', 'a.b', 'c'), other.poll('a.b', 'a b', 'c')]);
  expect(one.reads + other.reads).toBe(3);
  const [first, second] = [one, other].map(({ source }) =>
    ['a b', 'a.b'].map((variable) => typeof source.rules.series('pump', variable)),
  );
  expect(first).toEqual(second);
  expect(first?.toSorted()).toEqual(['object', 'string']);
});

it('names are stored in several statements where there are many', async () => {
  const process = new Process();
  for (let index = 0; index < 12_000; index += 1) process.source.rules.series('pump', `v${index}`);
  await nameKeeper(database)(process.source);
  expect(process.source.rules.unconfirmed()).toEqual([]);
  expect(await database.row('select count(*)::int as names from series_name')).toEqual({ names: 12_000 });
});

it('an old revision of a source, or a removed source, stores no names and hands no readings over', async () => {
  await database.run('update source set revision = 2');
  await database.run('update stream set source_revision = 2');
  await expect(new Process(1).poll('a b')).rejects.toMatchObject({ code: 'cancelled' });
  const row = await database.row<{ edition: string }>('select edition from source');
  stored = { ...stored, edition: row?.edition ?? '' };
  await new Process(2).poll('a b');
  await database.run('delete from source');
  expect(await database.rows('select * from series_name')).toEqual([]);
  await expect(new Process(2).poll('a b')).rejects.toMatchObject({ code: 'cancelled' });
  expect(await readingsIn(database)).toEqual([`pump ${FROM} 0 -`]);
});
