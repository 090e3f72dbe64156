import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect } from 'vitest';
import { openSealing } from '../kit/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import type { Column } from '../../src/core/batch.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { delivererOf } from '../../src/delivery/deliverer.ts';
import { outgoingFetch } from '../../src/platform/connection/outgoing.ts';
import type { GuardedFetch } from '../../src/platform/connection/outgoing.ts';
import type { Deliverer } from '../../src/delivery/deliverer.ts';
import { setRemote } from '../../src/delivery/remote.ts';
import type { RemoteSettings } from '../../src/delivery/remote.ts';
import { commitWindow } from '../../src/pull/commit.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import { heartOf } from '../kit/alive.ts';
import type { Heart } from '../kit/alive.ts';
import type { TestDatabases } from '../kit/databases.ts';
import { storeOf } from '../kit/open-source.ts';
import { batchOf, claimAll, configurationOf, storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { APPLICATION, SECRET } from './outbox-service-tokens.ts';
import { ORGANISATION, PROJECT, startService } from './outbox-service.ts';
import type { Service } from './outbox-service.ts';

/** The instant 0 of the tests, just before the end of a month. */
export const START = Date.UTC(2026, 0, 31, 23, 59, 50) * 1_000;

/** A point of a window. `at`: seconds after START. */
export interface Point {
  readonly sensor: string;
  readonly at: number;
  readonly value: number;
  readonly precision?: number;
  readonly labels?: readonly string[];
}

export const PROJECT_HERE = { organisation: 'default', code: 'project' };

/** A delivering worker of the bridge, with a pool of its own. It lives until it falls silent. */
export interface Worker extends Heart {
  readonly id: string;
  readonly deliverer: Deliverer;
}

/** A bridge with one source of one stream, and a service to which it can hand its readings over. */
export interface Rig {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly source: StoredSource;
  readonly streamId: number;
  readonly service: Service;
  /** The log of all workers. */
  readonly log: () => string;
  /** Commits a window as a poll does. The covered time is that of the stream. */
  commit(points: readonly Point[], given?: { stream?: number; source?: StoredSource }): Promise<Taken>;
  push(settings?: Partial<RemoteSettings>): Promise<void>;
  /** `url`: another address of the database, for a worker that reaches it through a proxy. */
  worker(url?: string, fetch?: GuardedFetch): Promise<Worker>;
  /** Lets workers look until the outbox is empty and no delivery under way; `meanwhile` runs before each look. */
  drain(workers: readonly Worker[], meanwhile?: () => Promise<void>): Promise<void>;
  remote(): Promise<RemoteState>;
  outbox(): Promise<OutboxRow[]>;
  /** Expects that service and bridge hold the same readings, the outbox is empty and no request broke the contract. */
  expectEqual(): Promise<void>;
  close(): Promise<void>;
}

export interface RemoteState {
  readonly state: string;
  readonly failures: number;
  readonly batch: number | null;
  readonly heldMs: number | null;
  /** Milliseconds from the last fault to the next try. */
  readonly waitMs: number | null;
  readonly fault: { readonly code: string; readonly message: string; readonly remedy?: string } | null;
  readonly claimed: string | null;
  readonly full: boolean;
}

export interface OutboxRow {
  readonly stream: number | null;
  /** `sensor at value precision labels`, `at` in seconds after START. */
  readonly readings: readonly string[];
}

/** Makes a second project without a remote, with a source of one stream. */
export async function otherProject(database: Database): Promise<{ source: StoredSource; stream: number }> {
  const { sourceId, edition } = await storeSource(database, 'elsewhere');
  const row = await database.row<{ id: number }>(
    `insert into ml_project (organisation_id, code, name) values ('default', 'other', 'Other') returning id`,
  );
  const source = { sourceId, edition, projectId: row?.id ?? 0 };
  await database.run('update source set project_id = $2 where id = $1', [source.sourceId, source.projectId]);
  return { source, stream: await storeStream(database, source, 'elsewhere') };
}

/** Readings of a project in the form and order of `Service.stored`. */
export const truthOf = async (database: Pick<Database, 'rows'>, project = 'project'): Promise<string[]> =>
  (
    await database.rows<{ line: string }>(
      `select concat_ws(' ', sensor_id, value_name, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), value,
         coalesce(precision::text, '-'), '[' || array_to_string(coalesce(label_set.labels, '{}'), ',') || ']') as line
       from reading join series on series.id = series join ml_project on ml_project.id = project_id and code = $1
       left join label_set on label_set.id = reading.labels`,
      [project],
    )
  )
    .map(({ line }) => line)
    .toSorted();

/** Has the claims of what is committed. */
const HOLDER = randomUUID();

export async function makeRig(databases: TestDatabases): Promise<Rig> {
  const database = await databases.create();
  const source = await storeSource(database);
  const streamId = await storeStream(database, source);
  const service = await startService();
  const sealing = await openSealing('', 'A'.repeat(43));
  const clock = await clockOf(database);
  const workers: Worker[] = [];
  let logged = '';
  const log = pino({ level: 'debug' }, { write: (line: string) => void (logged += line) });

  const outbox = async (): Promise<OutboxRow[]> =>
    database.rows<OutboxRow & Record<string, unknown>>(
      `select stream_id as stream, array_agg(concat_ws(' ', sensor_id, (instant_of(row.at) - $1::bigint) / 1000000, row.value,
         coalesce(row.precision::text, '-'), label_set.labels) order by place) as readings
       from outbox cross join lateral unnest(outbox.series, outbox.at, outbox.value, outbox.precision, outbox.labels)
           with ordinality as row (series, at, value, precision, labels, place)
         join series on series.id = row.series left join label_set on label_set.id = row.labels
       group by outbox.id order by outbox.id`,
      [START],
    );

  return {
    database,
    sealing,
    source,
    streamId,
    service,
    log: () => logged,
    async commit(points, { stream = streamId, source: of = source } = {}) {
      const instants = points.map(({ at }) => START + at * SECOND);
      const window: Window = {
        from: instants.reduce((least, at) => Math.min(least, at), Infinity),
        to: instants.reduce((most, at) => Math.max(most, at), 0) + 1,
      };
      const row = await database.row<{ covered: [number, number][]; key: string }>(
        'select instants_of(covered) as covered, key from stream where id = $1',
        [stream],
      );
      const ground = { database, ...storeOf(database) };
      await claimAll(database, HOLDER);
      return await commitWindow(ground, {
        source: configurationOf(of),
        stream: {
          id: stream,
          key: row?.key ?? '',
          covered: (row?.covered ?? []).map(([from, to]) => ({ from, to })),
          looksNoted: 0,
        },
        workerId: HOLDER,
        process: database.memory.stamp().process,
        lane: 'live',
        window,
        learned: { length: 60 * SECOND },
        looks: [],
        settledTo: 0,
        backfills: undefined,
        askedAt: clock.now(),
        meter: { requests: 1, bytesIn: 1, bytesOut: 1, waitedMs: 0, httpMs: 0 },
        normaliseMs: 0,
        batch: batchOf(columnsOf(points)),
      });
    },
    push: (settings = {}) =>
      setRemote(database, sealing, PROJECT_HERE, { ...settingsOf(service), ...settings }, 'test'),
    async worker(url = database.url, fetch = outgoingFetch({ allowHosts: undefined, proxy: undefined })) {
      const own = await databases.another({ ...database, url });
      const id = randomUUID();
      const heart = await heartOf(database, id);
      const deliverer = delivererOf({ database: own, sealing, fetch, workerId: id, log, now: clock.now });
      const worker = { ...heart, id, deliverer };
      workers.push(worker);
      return worker;
    },
    async drain(delivering, meanwhile) {
      await eventually('the outbox is empty', async () => {
        await meanwhile?.();
        for (const worker of delivering) {
          await worker.beat();
          await worker.deliverer.look();
        }
        // A delivery whose last readings have just left the outbox would take the next ones, too.
        const left = await database.row<{ n: number; claims: number }>(
          'select (select count(*) from outbox) as n, (select count(claimed_by) from remote) as claims',
        );
        return (
          (left?.n === 0 && left.claims === 0) ||
          new Waiting({ left, remote: await database.rows('select * from remote') })
        );
      });
    },
    async remote() {
      const row = await database.row<RemoteState & Record<string, unknown>>(
        `select state, failures, batch, extract(epoch from held_until - now())::float8 * 1000 as "heldMs", last_fault as fault,
           extract(epoch from held_until - (last_fault ->> 'at')::timestamptz)::float8 * 1000 as "waitMs",
           claimed_by as claimed, full_since is not null as full from remote`,
      );
      if (row === undefined) throw new Error('there is no remote');
      return row;
    },
    outbox,
    async expectEqual() {
      expect(service.stored()).toEqual(await truthOf(database));
      expect(await outbox()).toEqual([]);
      expect(service.violations).toEqual([]);
      await expectNoSecret(database, service, logged);
    },
    async close() {
      await service.close();
      for (const { stop } of workers) stop();
      for (const { deliverer } of workers) await deliverer.stop();
    },
  };
}

export const settingsOf = ({ url }: Service): RemoteSettings => ({
  url,
  organisation: ORGANISATION,
  code: PROJECT,
  applicationId: APPLICATION,
  secret: SECRET,
  mostWaiting: 1_000_000,
});

/** Expects that no secret stands in clear in a table or in the log. */
export async function expectNoSecret(database: Database, service: Service, logged: string): Promise<void> {
  const shown = JSON.stringify(
    await database.rows(
      `select remote::text as row from remote union all select refusal::text from refusal union all select refused_hour::text from refused_hour
       union all select audit::text from audit union all select remote_token::text from remote_token`,
    ),
  );
  for (const secret of service.tokens.secrets()) expect(logged + shown).not.toContain(secret);
}

/** Points as columns of one sensor each, in the order of time. */
function columnsOf(points: readonly Point[]): Column[] {
  const bySensor = Map.groupBy(
    points.toSorted((one, other) => one.at - other.at),
    ({ sensor }) => sensor,
  );
  return [...bySensor].map(([sensorId, own]) => ({
    sensorId,
    valueName: 'value',
    segments: [
      ...Map.groupBy(own, ({ labels, precision }) => `${labels?.join(',')} ${precision === undefined}`).values(),
    ].map((alike) => ({
      at: alike.map(({ at }) => START + at * SECOND),
      value: alike.map(({ value }) => value),
      precision: alike[0]?.precision === undefined ? undefined : alike.map(({ precision }) => precision ?? 0),
      labels: alike[0]?.labels ?? [],
    })),
  }));
}
