import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { parseInstant } from '../../src/core/instant.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { DatabaseSlow } from '../../src/database/patience.ts';
import { intakeOf as intakeWith, isTemporary } from '../../src/ingest/pushed-intake.ts';
import type { Intake } from '../../src/ingest/pushed-intake.ts';
import type { PushCounts } from '../../src/ingest/pushed-commit.ts';
import { judgePushed } from '../../src/ingest/pushed-readings.ts';
import type { Pushed } from '../../src/ingest/pushed-readings.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn, storeSource } from '../kit/stored-source.ts';

const databases = useDatabases();

/** All points lie in one month, because a push that has to make a partition would be overtaken by others. */
const START = parseInstant('2026-01-30T23:59:59.999990Z') ?? NaN;
const now = START + 1_000_000_000;

const intakeOf = (given: Omit<Parameters<typeof intakeWith>[0], 'now'>): Intake =>
  intakeWith({ ...given, now: () => Date.now() * 1000 });

interface Point {
  readonly sensor: string;
  /** µs after the start. */
  readonly at: number;
  readonly value: number;
}

const pushedOf = (points: readonly Point[]): Pushed =>
  judgePushed(
    points.map(({ sensor, at, value }) => ({
      sensorId: sensor,
      date: new Date((START + at) / 1_000).toISOString().replace(/\.(\d{3})Z/, (_, ms: string) => {
        const micros = String((START + at) % 1_000).padStart(3, '0');
        return `.${ms}${micros}Z`;
      }),
      value,
    })),
    { now },
  );

const point = fc.record({
  sensor: fc.constantFrom('a', 'b', 'c'),
  at: fc.integer({ min: 0, max: 20 }),
  value: fc.constantFrom(0, 1),
});

async function begin(waitMs = 60_000): Promise<{ database: Database; intake: Intake; projectId: number }> {
  const database = await databases.create();
  const { projectId } = await storeSource(database);
  // Refused readings are counted for applications that exist.
  const ids = ['one', 'warm', 'app0', 'app1', 'app2'];
  await database.run(
    `insert into application (id, organisation_id, name, secret_hash) select id, 'default', id, '' from unnest($1::text[]) as id`,
    [ids],
  );
  return { database, projectId, intake: intakeOf({ database, prepareReadings: readingPreparer(database), waitMs }) };
}

/** The counts of pushes that come one after the other. Fills `stored` with the readings stored in the end. */
function model(pushes: readonly (readonly Point[])[], stored: Map<string, number>): PushCounts[] {
  return pushes.map((points) => {
    const last = new Map(points.map(({ sensor, at, value }) => [`${sensor} ${START + at}`, value]));
    const equal = points.filter(({ sensor, at, value }) => last.get(`${sensor} ${START + at}`) === value).length;
    let [accepted, duplicates, revised] = [0, equal - last.size, 0];
    for (const [key, value] of last) {
      if (!stored.has(key)) accepted += 1;
      else if (stored.get(key) === value) duplicates += 1;
      else revised += 1;
      stored.set(key, value);
    }
    return { accepted, duplicates, revised };
  });
}

const linesOf = (stored: ReadonlyMap<string, number>): string[] =>
  [...stored].map(([key, value]) => `${key} ${value} -`).toSorted();

describe('pushes that come together', () => {
  it('are counted as if each had come alone, in the order of arrival', async () => {
    const { database, intake, projectId } = await begin();
    await intake.push('warm', projectId, pushedOf(['a', 'b', 'c'].map((sensor) => ({ sensor, at: 0, value: 0 }))));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(point, { maxLength: 8 }), { maxLength: 12 }), async (pushes) => {
        await database.run('truncate reading');
        const stored = new Map<string, number>();
        const expected = model(pushes, stored);
        const counts = await Promise.all(pushes.map((points) => intake.push('one', projectId, pushedOf(points))));
        expect(counts).toEqual(expected);
        expect((await readingsIn(database)).toSorted()).toEqual(linesOf(stored));
      }),
      { numRuns: 200 },
    );
  });

  it('are counted exactly by COPY and by upsert in large shared commits', async () => {
    const { database, intake, projectId } = await begin();
    const stored = new Map<string, number>();
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 6; round += 1) {
      // The first rounds bring new readings, the later ones old and new readings.
      const pushes = Array.from({ length: 10 }, (_, push) =>
        Array.from({ length: 400 }, (_unused, index) => ({
          sensor: `s${push}-${index % 5}`,
          at: (round < 3 ? round * 1_000 : 0) + random(1_000),
          value: random(3),
        })),
      );
      const expected = model(pushes, stored);
      const counts = await Promise.all(
        pushes.map((points, push) => intake.push(`app${push % 3}`, projectId, pushedOf(points))),
      );
      expect(counts).toEqual(expected);
    }
    expect((await readingsIn(database)).toSorted()).toEqual(linesOf(stored));
  });

  it('share commits: two hundred pushes need at most ten', async () => {
    const { database, intake, projectId } = await begin();
    const commits = async (): Promise<number> =>
      (await database.row<{ n: number }>(`select count(distinct xmin::text) as n from reading`))?.n ?? NaN;
    await intake.push('a', projectId, pushedOf([{ sensor: 'a', at: 0, value: 1 }]));
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        intake.push(`app${index % 9}`, projectId, pushedOf([{ sensor: 'a', at: index + 1, value: 1 }])),
      ),
    );
    expect(await commits()).toBeLessThanOrEqual(10);
  });

  it('at several processes count each reading as accepted once', async () => {
    const { database, intake, projectId } = await begin();
    const elsewhere = await databases.another(database);
    const other = intakeOf({ database: elsewhere, prepareReadings: readingPreparer(elsewhere), waitMs: 60_000 });
    const points = Array.from({ length: 3_000 }, (_, index) => ({ sensor: `s${index % 50}`, at: index, value: 1 }));
    const total: PushCounts[] = [];
    for (let round = 0; round < 5; round += 1) {
      const own = points.map((one) => ({ ...one, at: one.at + round * 1_500 }));
      total.push(
        ...(await Promise.all([
          intake.push('a', projectId, pushedOf(own)),
          other.push('a', projectId, pushedOf(own.toReversed())),
          intake.push('b', projectId, pushedOf(own.slice(500))),
        ])),
      );
    }
    const sum = (count: keyof PushCounts): number => total.reduce((all, counts) => all + counts[count], 0);
    const rows = (await readingsIn(database)).length;
    expect(sum('accepted')).toBe(rows);
    expect(sum('revised')).toBe(0);
    expect(sum('accepted') + sum('duplicates')).toBe(5 * (3_000 + 3_000 + 2_500));
  });
});

describe('a push that cannot be stored', () => {
  it('fails alone; the pushes that share its commit are stored', async () => {
    const { database, intake, projectId } = await begin();
    await database.run(`create function refuse() returns trigger language plpgsql as $$
      begin if new.value = 13 then raise exception 'not this one'; end if; return new; end $$`);
    await database.run('create trigger refuse before insert on reading for each row execute function refuse()');
    const values = [1, 2, 13, 4, 5];
    const results = await Promise.allSettled(
      values.map((value) => intake.push('a', projectId, pushedOf([{ sensor: `s${value}`, at: 0, value }]))),
    );
    expect(results.map(({ status }) => status)).toEqual(
      values.map((value) => (value === 13 ? 'rejected' : 'fulfilled')),
    );
    expect(await readingsIn(database)).toHaveLength(4);
  });

  it('is given up after `waitMs`; sent again it is stored once', async () => {
    const { database, projectId } = await begin();
    const prepareReadings = readingPreparer(database);
    const patient = intakeOf({ database, prepareReadings, waitMs: 60_000 });
    const intake = intakeOf({ database, prepareReadings, waitMs: 3_000 });
    const pushed = (sensor: string): Pushed => pushedOf([{ sensor, at: 0, value: 1 }]);
    // The sensors have their numbers already, so the pushes join the queue in their order.
    const warm = ['x', 'y', 'z'].map((sensor) => ({ sensor, at: 9, value: 1 }));
    await patient.push('a', projectId, pushedOf(warm));
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    try {
      await blocker.query('begin; lock table reading in exclusive mode');
      const waiting = ['x', 'y', 'z'].map((sensor) => intake.push('a', projectId, pushed(sensor)));
      const results = await Promise.allSettled(waiting);
      for (const result of results) expect(result).toMatchObject({ reason: expect.any(DatabaseSlow) as unknown });
      await blocker.query('commit');
    } finally {
      await blocker.end();
    }
    await intake.idle();
    // The database was storing the first push already; the others were taken out of the queue.
    const kept = ['x', 'y', 'z'].map((sensor) => `${sensor} ${START + 9} 1 -`);
    expect(await readingsIn(database)).toEqual([`x ${START} 1 -`, ...kept]);
    expect(await patient.push('a', projectId, pushed('x'))).toMatchObject({ duplicates: 1 });
    expect(await patient.push('a', projectId, pushed('y'))).toMatchObject({ accepted: 1 });
  });

  it('fails where the database is away, and is stored when it is back', async () => {
    const { database, intake, projectId } = await begin();
    const pushed = (at: number): Pushed => pushedOf([{ sensor: 'a', at, value: 1 }]);
    await intake.push('a', projectId, pushed(0));
    const killer = new pg.Client({ connectionString: database.url });
    await killer.connect();
    let lost = 0;
    try {
      for (let round = 1; round <= 20; round += 1) {
        // In one round the connections end for certain while a push is being stored; in the others at any moment.
        if (round === 1) await killer.query('begin; lock table reading in exclusive mode');
        const pushes = Promise.allSettled(
          Array.from({ length: 5 }, (_, index) => intake.push('a', projectId, pushed(10 * round + index))),
        );
        if (round === 1) while (!(await isWaitedFor(killer)));
        await killer.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        if (round === 1) await killer.query('commit');
        lost += (await pushes).filter(({ status }) => status === 'rejected').length;
      }
    } finally {
      await killer.end();
    }
    expect(lost).toBeGreaterThan(0);
    expect(await pushUntilBack(() => intake.push('a', projectId, pushed(1_000)))).toMatchObject({ accepted: 1 });
  });
});

/** Whether a statement waits for a lock in the database of a client. */
const isWaitedFor = async (client: pg.Client): Promise<boolean> =>
  (
    await client.query(
      'select from pg_locks join pg_database on pg_database.oid = database where not granted and datname = current_database()',
    )
  ).rowCount !== 0;

/** Repeats a push, because the pool may still hold connections that were ended; each try uses up one of them. */
async function pushUntilBack<T>(push: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await push();
    } catch (error) {
      if (!isTemporary(error)) throw error;
    }
  }
}

it('takes new sensors and labels by the thousand, and uses up no numbers for known ones', async () => {
  const { database, intake, projectId } = await begin();
  const body = Array.from({ length: 3_000 }, (_, index) => ({
    sensorId: `s${index}`,
    date: '2026-01-01T00:00:00Z',
    value: index,
    labels: [`one ${index}`, 'two'],
  }));
  const pushed = (): Pushed => judgePushed(body, { now });
  expect(await intake.push('a', projectId, pushed())).toMatchObject({ accepted: 3_000 });
  const elsewhere = await databases.another(database);
  const other = intakeOf({ database: elsewhere, prepareReadings: readingPreparer(elsewhere), waitMs: 60_000 });
  expect(await other.push('a', projectId, pushed())).toMatchObject({ duplicates: 3_000 });
  body.push({ ...body[0], sensorId: 'new', labels: ['new'] } as (typeof body)[0]);
  expect(await intake.push('b', projectId, pushed())).toMatchObject({ accepted: 1, duplicates: 3_000 });
  expect(await database.row('select max(id) as series from series')).toEqual({ series: 3_001 });
  expect(await database.row('select max(id) as sets from label_set')).toEqual({ sets: 3_001 });
});

it('stores durably also where the database is set to answer before a commit is on disk', async () => {
  const url = await databases.createEmpty();
  const name = new URL(url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`alter database ${name} set synchronous_commit = off`);
  await admin.end();
  const database = await openDatabase({ url, poolSize: 2, applicationName: 'api', patient: false });
  try {
    const { projectId } = await storeSource(database);
    await database.run('create table seen (setting text)');
    await database.run(`create function note() returns trigger language plpgsql as $$
      begin insert into seen select current_setting('synchronous_commit'); return null; end $$`);
    await database.run('create trigger note after insert on reading execute function note()');
    const intake = intakeOf({ database, prepareReadings: readingPreparer(database), waitMs: 60_000 });
    await intake.push('a', projectId, pushedOf([{ sensor: 'a', at: 0, value: 1 }]));
    expect(await database.rows('select distinct setting from seen')).toEqual([{ setting: 'on' }]);
  } finally {
    await database.close();
  }
});
