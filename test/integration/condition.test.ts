import { beforeAll, describe, expect, it } from 'vitest';
import { audit } from '../../src/access/audit.ts';
import type { Condition } from '../../src/core/condition.ts';
import type { Database } from '../../src/database/database.ts';
import { judgedFacts } from '../../src/source/condition.ts';
import { listedSources, unwellSources } from '../../src/source/listing.ts';
import type { ListedPlace, WantedSources } from '../../src/source/listing.ts';
import { listSources } from '../../src/source/report.ts';
import { sharedStanding } from '../../src/source/standing.ts';
import { useDatabases } from '../kit/databases.ts';

// The rule stands in SQL, so PostgreSQL answers here too.

const databases = useDatabases();
let database: Database;

const facts = {
  state: `'active'`,
  failures: '0',
  has_fault: 'false',
  has_look_fault: 'false',
  streams: '1',
  has_succeeded: 'true',
  is_refused: 'false',
  is_silent: 'false',
  every: `interval '30 s'`,
  overdue: `interval '0'`,
};

beforeAll(async () => {
  database = await databases.create();
});

async function judgedBy(more: Partial<typeof facts>): Promise<{ condition: Condition; lacks: boolean }> {
  const columns = Object.entries({ ...facts, ...more }).map(([name, value]) => `${value} as ${name}`);
  const row = await database.row<{ condition: Condition; lacks: boolean }>(
    `select condition, lacks_time as lacks from (${judgedFacts(`select ${columns.join()}`)}) as one`,
  );
  return row ?? { condition: 'starting', lacks: false };
}

const never = { streams: '0', overdue: 'null::interval' };

describe('the condition of a source', () => {
  it.each<[Condition, boolean, Partial<typeof facts>]>([
    ['well', false, {}],
    ['well', false, { overdue: `interval '1 minute'` }],
    ['behind', true, { overdue: `interval '61 s'` }],
    ['well', false, { every: `interval '1 hour'`, overdue: `interval '1 hour'` }],
    ['failing', false, { failures: '3', has_fault: 'true' }],
    ['failing', false, { has_fault: 'true' }],
    ['starting', false, never],
    ['starting', false, { has_succeeded: 'false' }],
    ['failing', false, { has_succeeded: 'false', has_fault: 'true' }],
    ['failing', true, { ...never, has_look_fault: 'true' }],
    ['failing', false, { is_refused: 'true' }],
    ['silent', false, { is_silent: 'true' }],
    ['behind', true, { is_silent: 'true', overdue: `interval '9 hours'` }],
    ['failing', false, { is_silent: 'true', is_refused: 'true' }],
    ['paused', false, { is_silent: 'true', state: `'paused'` }],
    ['failing', true, { is_refused: 'true', overdue: `interval '9 hours'` }],
    ['starting', false, { is_refused: 'true', has_succeeded: 'false' }],
    ['paused', false, { is_refused: 'true', state: `'paused'` }],
    ['stopped', false, { state: `'stopped'`, failures: '1', has_fault: 'true' }],
    ['stopped', true, { ...never, state: `'stopped'` }],
    ['paused', true, { state: `'paused'`, overdue: `interval '9 hours'` }],
  ])('%s, lacks time: %s', async (condition, lacks, more) => {
    expect(await judgedBy(more)).toEqual({ condition, lacks });
  });
});

describe('a list of sources', () => {
  beforeAll(async () => {
    await database.run(`insert into organisation values ('north', 'north')`);
    await database.run(
      `insert into ml_project (organisation_id, code, name) values ('default', 'a', ''), ('north', 'b', '')`,
    );
    // Each third source is late by its number of minutes, each tenth one fails, each fiftieth is stopped before it had a stream.
    await database.run(
      `insert into source (organisation_id, name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, state, failures, last_fault)
       select ml_project.organisation_id, 's-' || lpad(n::text, 3, '0'), ml_project.id, 'user-credentials', case n % 2 when 0 then 'influxdb' else 'thingsboard' end, '{}',
         now() - interval '1 day', 60000000, 0, 0, case when n % 50 = 0 then 'stopped' else 'active' end, case when n % 10 = 0 then 2 else 0 end,
         case when n % 10 = 0 then '{"code": "unavailable", "message": "no answer", "at": "2026-11-21T08:00:00Z", "page": "<html>"}'::jsonb
              when n % 7 = 0 then '{"code": "throttled", "message": "own pace", "at": "2026-11-21T08:00:00Z", "own": true}' end
       from generate_series(1, 100) as n join ml_project on code = case when n > 50 then 'b' else 'a' end`,
    );
    await database.run(
      `insert into work (kind, id, source_id, due_at, well_at) select 'poll', id, id, now(), now() from source where state = 'active'`,
    );
    await database.run(
      `insert into stream (source_id, key, selection, sensors, covered)
       select id, 'g', '{}', '[]', tstzmultirange(tstzrange(start_at, now() - case when right(name, 3)::int % 3 = 0 then 10 + right(name, 3)::int else 1 end * interval '1 minute'))
       from source where state = 'active'`,
    );
    await database.run(
      `insert into pace (source_id, state, requests) select id, '{}', (extract(epoch from now())::bigint / 60)::text || '|' || right(name, 3)::int || ',,,1,5;1'
       from source where state = 'active'`,
    );
  });

  const list = (wanted: WantedSources) => listedSources(database, [], wanted);
  const names = async (wanted: WantedSources): Promise<readonly string[]> =>
    (await list(wanted)).lines.map(({ name }) => name);

  it('is counted, filtered and sorted by one rule', async () => {
    const all = await listSources(database);
    expect(all).toHaveLength(100);
    const { counts, matching, lines } = await list({});
    expect(lines).toEqual(
      all
        .map((line) => ({ ...line, lag: expect.anything(), overdue: expect.anything() }))
        .map((line, at) => ({ ...line, lag: lines[at]?.lag, overdue: lines[at]?.overdue })),
    );
    expect(matching).toBe(100);
    expect(counts).toEqual({ stopped: 2, failing: 8, behind: 30, well: 60 });
    for (const [condition, count] of Object.entries(counts))
      expect((await list({ condition: condition as Condition })).matching).toBe(count);
    expect((await list({ behind: true })).lines).toHaveLength(lines.filter(({ lacksTime }) => lacksTime).length);
    expect(lines.filter(({ isOverdue }) => isOverdue).length).toBeGreaterThanOrEqual(counts.behind ?? 0);
    expect((await list({ platform: 'influxdb', organisations: ['north'] })).matching).toBe(25);
    expect((await list({ project: 'a', text: 'S-00' })).matching).toBe(9);
    expect(await names({ text: '%' })).toEqual([]);
    expect(lines.every(({ fault }) => fault === null || !('page' in fault))).toBe(true);
  });

  it('says which sources are not well, by a statement that is planned once for all that look again and again', async () => {
    const one = database.beside({ poolSize: 1, statementMs: 60_000 });
    const { conditions, lines } = await unwellSources(one);
    expect(await unwellSources(one)).toMatchObject({ conditions });
    const [plans] = await one.rows(
      `select generic_plans as once, custom_plans as again from pg_prepared_statements where name = 'unwell sources'`,
    );
    expect(plans).toEqual({ once: 2, again: 0 });
    expect(conditions).toEqual((await list({})).counts);
    const unwell = (await list({})).lines.filter(({ condition }) => condition !== 'well');
    expect(lines.map(({ name }) => name).toSorted()).toEqual(unwell.map(({ name }) => name).toSorted());
    const north = await unwellSources(one, ['north']);
    expect(north.lines.map(({ name }) => name)).toEqual(
      lines.filter(({ organisation }) => organisation === 'north').map(({ name }) => name),
    );
    await one.close();
  });

  it.each([
    ['lag', ['s-050', 's-100', 's-099', 's-096']],
    ['overdue', ['s-050', 's-100', 's-099', 's-096']],
    ['trouble', ['s-050', 's-100', 's-090', 's-060']],
    ['requests', ['s-099', 's-098', 's-097', 's-096']],
    ['name', ['s-001', 's-002', 's-003', 's-004']],
  ] as const)('by %s is the same in pages', async (sort, first) => {
    const whole = await names({ sort });
    expect(whole.slice(0, 4)).toEqual(first);
    const paged: string[] = [];
    let behindSource: ListedPlace | undefined;
    do {
      const page = await list({ sort, limit: 7, behindSource });
      paged.push(...page.lines.map(({ name }) => name));
      behindSource = page.last;
    } while (behindSource !== undefined);
    expect(paged).toEqual(whole);
  });

  it('goes on behind a source that has gone, or that has another place now', async () => {
    const page = await list({ sort: 'lag', limit: 3 });
    await database.run(
      `update stream set covered = tstzmultirange(tstzrange(now() - interval '1 day', now())) from source where source_id = source.id and name = 's-099'`,
    );
    // It is now the last one, and its former place still says where the page ended.
    expect(await names({ sort: 'lag', limit: 1, behindSource: page.last })).toEqual(['s-096']);
    await database.run(`delete from source where name = 's-099'`);
    expect(await names({ sort: 'lag', limit: 1, behindSource: page.last })).toEqual(['s-096']);
  });

  it('is found out once for all that ask within a second, and anew after an event of a source, or a change by an operator', async () => {
    let now = 0;
    const standing = sharedStanding(database, () => now);
    const counts = async () => (await listedSources(database, [], {}, await standing())).counts;
    const before = await counts();
    const change = (audited: boolean): Promise<unknown> =>
      database.transaction(async (client) => {
        await client.query(
          `update source set state = 'paused' where name = (select min(name) from source where state = 'active')`,
        );
        if (audited) await audit(client, 'test', 'source.pause', 's', {});
      });
    await change(false);
    now = 199;
    expect(await counts()).toEqual(before);
    now = 200;
    expect(await counts()).toMatchObject({ paused: 1 });
    const asked = await standing();
    now = 1_199;
    expect(await standing()).toBe(asked);
    now = 1_200;
    expect(await standing()).not.toBe(asked);
    await change(true);
    const shared = await Promise.all([standing(), standing()]);
    expect(shared[0]).toBe(shared[1]);
    expect(await counts()).toMatchObject({ paused: 2 });
  });
});
