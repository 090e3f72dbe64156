import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import type { Claims } from '../../src/pull/claim.ts';
import { keepAlive } from '../kit/alive.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { Claimed } from '../../src/pull/claim.ts';

// Claims and reports of one process share statements; here several processes do so on the same sources.

const databases = useDatabases();
let database: Database;
let sources: number[];

beforeEach(async () => {
  database = await databases.create();
  sources = [];
  for (let number = 1; number <= 12; number += 1)
    sources.push((await storeSource(database, `source-${number}`)).sourceId);
});

interface Host {
  readonly workerId: string;
  readonly claims: Claims;
}

/** The claims of a living process with its own pool. */
async function host(): Promise<Host> {
  const own = await databases.another(database);
  const workerId = randomUUID();
  // The claims of a process that is silent for twelve seconds are free, and a busy machine needs longer for a test.
  await keepAlive(own, workerId);
  return { workerId, claims: claimsOf({ database: own, workerId, sources: { editionOf: () => undefined } }) };
}

/** Updates of a row of `table` where `condition` holds run `action` (PL/pgSQL). */
async function whenever(table: string, condition: string, action: string): Promise<void> {
  await database.run(
    `create function meddle() returns trigger language plpgsql as $$begin if ${condition} then ${action} end if; return new; end$$`,
  );
  await database.run(`create trigger meddle before update on ${table} for each row execute function meddle()`);
}

const at = (place: number): number => sources[place] as number;

const outcome = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return await work;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('two processes that claim the same sources', () => {
  it('never hold one at the same time, and each source is polled again and again', async () => {
    await database.run(
      'create table claim_change (id bigint generated always as identity, source_id int, before uuid, after uuid)',
    );
    await whenever(
      'work',
      'new.claimed_by is distinct from old.claimed_by',
      'insert into claim_change (source_id, before, after) values (new.id, old.claimed_by, new.claimed_by);',
    );
    const hosts = await Promise.all([host(), host()]);
    const holders = new Map<number, string>();
    const polls = new Map<number, number>();
    const clashes: string[] = [];
    /** @returns 1 where this host got the claim */
    async function poll({ claims, workerId }: Host, id: number): Promise<number> {
      const claimed = await claims.take('poll', id);
      if (!claimed) return 0;
      if (claimed.id !== id) clashes.push(`asked for ${id}, got ${claimed.id}`);
      if (holders.has(id)) clashes.push(`${id} was claimed twice at a time`);
      holders.set(id, workerId);
      await sleep(Math.random() * 4);
      holders.delete(id);
      polls.set(id, (polls.get(id) ?? 0) + 1);
      await claims.report(claimed, { healthy: true });
      return 1;
    }
    // As with jobs: each process polls many sources at a time, each source once at a time, each process in its own order.
    await Promise.all(
      hosts.flatMap((each, turn) =>
        (turn === 0 ? sources : sources.toReversed()).map(async (id) => {
          for (let turns = 0; turns < 20;) turns += await poll(each, id);
        }),
      ),
    );
    expect(clashes).toEqual([]);
    expect([...polls.values()]).toEqual(sources.map(() => 40));
    const taken = await database.rows('select * from claim_change where before is not null and after is not null');
    expect(taken).toEqual([]);
    const [row] = await database.rows<{ polls: number }>(
      'select count(*) as polls from claim_change where after is not null',
    );
    expect(row?.polls).toBe(40 * sources.length);
    expect(await database.rows('select id from work where claimed_by is not null')).toEqual([]);
  });

  it('get the free sources of a group while another transaction holds one row for long', async () => {
    const { claims } = await host();
    const held = await database.pool.connect();
    await held.query('begin');
    await held.query('update work set asked = asked where id = $1', [at(3)]);
    const waiting = claims.take('poll', at(3));
    const others = await Promise.all(sources.filter((id) => id !== at(3)).map((id) => claims.take('poll', id)));
    expect(others.every((claimed) => claimed !== undefined)).toBe(true);
    await held.query('commit');
    held.release();
    expect(await waiting).toMatchObject({ id: at(3) });
  });

  it('do not claim a source of the group that is paused, held, removed, claimed elsewhere or has a full outbox', async () => {
    const [one, other] = await Promise.all([host(), host()]);
    await database.run(`update source set state = 'paused' where id = $1`, [at(0)]);
    await database.run(`update source set held_until = now() + interval '1 h' where id = $1`, [at(1)]);
    await database.run('delete from source where id = $1', [at(2)]);
    await database.run(`insert into ml_project (organisation_id, code, name) values ('default', 'full', 'Full')`);
    await database.run(
      `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, full_since)
       select id, 'http://127.0.0.1', 'o', 'c', 'a', 's', 1, now() from ml_project where code = 'full'`,
    );
    await database.run(
      `update source set project_id = ml_project.id from ml_project where code = 'full' and source.id = $1`,
      [at(6)],
    );
    const elsewhere = await other.claims.take('poll', at(4));
    expect(elsewhere).toBeDefined();
    const claimed = await Promise.all(sources.map((id) => one.claims.take('poll', id)));
    expect(claimed.map((each) => each?.id)).toEqual(
      sources.map((id, place) => ([0, 1, 2, 4, 6].includes(place) ? undefined : id)),
    );
    // A report about a source that another process holds changes neither that source nor the other sources.
    await Promise.all(
      sources.map((id, place) => one.claims.report({ ...(elsewhere as Claimed), id }, { healthy: place % 2 === 0 })),
    );
    const rows = await database.rows<{ id: number; claimed_by: string | null; healthy: boolean; polled: boolean }>(
      'select id, claimed_by, well_at is not null as healthy, ended_at is not null as polled from work order by id',
    );
    const mine = rows.filter(({ polled }) => polled).map(({ id }) => id);
    expect(mine).toEqual(sources.filter((_, place) => ![0, 1, 2, 4, 6].includes(place)));
    expect(rows.filter(({ healthy }) => healthy).map(({ id }) => id)).toEqual(
      mine.filter((id) => sources.indexOf(id) % 2 === 0),
    );
    expect(rows.filter(({ claimed_by: by }) => by !== null)).toMatchObject([{ id: at(4), claimed_by: other.workerId }]);
  });
});

describe('one source that makes a statement fail', () => {
  it('fails alone', async () => {
    await whenever('work', `new.id = ${at(5)}`, 'perform 1 / 0;');
    const { claims } = await host();
    const outcomes = await Promise.all(sources.map((id) => outcome(claims.take('poll', id))));
    expect(outcomes.map((each) => (each as { id?: number }).id ?? each)).toEqual(
      sources.map((id, place) => (place === 5 ? '22012' : id)),
    );
  });

  it('is tried again with the others after a deadlock', async () => {
    await database.run('create sequence tried');
    await whenever(
      'work',
      `new.id = ${at(5)} and nextval('tried') = 1`,
      `raise exception 'deadlock detected' using errcode = '40P01';`,
    );
    const { claims } = await host();
    const claimed = await Promise.all(sources.map((id) => claims.take('poll', id)));
    expect(claimed.map((each) => each?.id)).toEqual(sources);
    expect(await database.row(`select last_value as tries from tried`)).toEqual({ tries: 2 });
  });
});
