import { counted } from '../core/counted.ts';
import type { Pool, PoolClient } from 'pg';
import { audit } from '../access/audit.ts';
import type { Sealing } from '../access/sealing.ts';
import { configInvalid } from '../core/errors.ts';
import { instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { parseReference } from '../core/source/reference.ts';
import type { Database } from '../database/database.ts';
import { assertRemote } from './assert-remote.ts';

/** A project of this bridge. */
export interface ProjectName {
  readonly organisation: string;
  readonly code: string;
}

/** The remote service to which the readings of a project are pushed, and the application that pushes them. */
export interface RemoteSettings {
  /** The part of the address before `/v0`. */
  readonly url: string;
  readonly organisation: string;
  readonly code: string;
  readonly applicationId: string;
  /** The secret itself, or a reference: `${env:X}` or `${file:/path}`. */
  readonly secret: string;
  /** At this many readings the outbox is full, and the sources of the project are not asked. */
  readonly mostWaiting: number;
}

/**
 * Lets a project hand its readings over from now on; readings that were stored before are not sent. The stored token is
 * forgotten, because it may belong to another service or application, and a stopped delivery goes on. Throws
 * `config-invalid` for an unknown project, for an address that no service can have and for a misspelled reference.
 */
export async function setRemote(
  database: Database,
  sealing: Sealing,
  project: ProjectName,
  settings: RemoteSettings,
  actor: string,
): Promise<void> {
  const { url, organisation, code, applicationId, secret, mostWaiting } = settings;
  assertRemote({ url, secret });
  await database.transaction(async (client) => {
    const id = await numberOf(client, project);
    const stored = parseReference(secret) === undefined ? await sealing.seal(secret, client) : secret;
    const { rows } = await client.query<{ isNew: boolean }>(
      `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (project_id) do update set url = $2, organisation = $3, code = $4, application_id = $5, secret = $6,
         most_waiting = $7, state = 'active', revision = remote.revision + 1, batch = null, failures = 0,
         held_until = null, last_fault = null, counted_at = null
       returning old.project_id is null as "isNew"`,
      [id, url, organisation, code, applicationId, stored, mostWaiting],
    );
    // A window that was being stored while an earlier remote was removed may have noted readings that are out of date by now.
    if (rows[0]?.isNew) await client.query('delete from outbox where project_id = $1', [id]);
    await client.query(
      'update remote_token set version = version + 1, sealed = null, replacing_until = null where project_id = $1',
      [id],
    );
    const remote = { url, organisation, code, applicationId };
    const detail = { organisation: project.organisation, remote, mostWaiting };
    await audit(client, actor, 'ingestion.push', project.code, detail);
  });
}

/**
 * Lets a project keep its readings here only. Throws `config-invalid` where readings wait in the outbox and `discard` is
 * false. @returns how many were discarded from the outbox; undefined where the project had no remote
 */
export async function removeRemote(
  database: Database,
  project: ProjectName,
  { discard }: { readonly discard: boolean },
  actor: string,
): Promise<number | undefined> {
  return await database.transaction(async (client) => {
    const id = await numberOf(client, project);
    const { rowCount } = await client.query('select from remote where project_id = $1 for update', [id]);
    if (!rowCount) return undefined;
    const { rows } = await client.query<{ waiting: number | null }>(
      'with gone as (delete from outbox where project_id = $1 returning readings) select sum(readings) as waiting from gone',
      [id],
    );
    const waiting = rows[0]?.waiting ?? 0;
    if (waiting > 0 && !discard) {
      throw configInvalid(
        `${counted(waiting, 'reading')} of ${project.code} not delivered yet`,
        'wait until databridge ingestion list shows none, or give --discard: they stay stored here',
      );
    }
    await client.query('delete from remote where project_id = $1', [id]);
    await audit(client, actor, 'ingestion.store', project.code, {
      organisation: project.organisation,
      discarded: waiting,
    });
    return waiting;
  });
}

/** Lets a stopped delivery go on, and a waiting one try now. @returns false where the project has no remote */
export async function resumeRemote(database: Database, project: ProjectName, actor: string): Promise<boolean> {
  return await database.transaction(async (client) => {
    const id = await numberOf(client, project);
    const { rowCount } = await client.query(
      `update remote set state = 'active', revision = revision + 1, failures = 0, held_until = null, last_fault = null
       where project_id = $1`,
      [id],
    );
    if (!rowCount) return false;
    await client.query('update remote_token set replacing_until = null where project_id = $1', [id]);
    await audit(client, actor, 'ingestion.resumed', project.code, { organisation: project.organisation });
    return true;
  });
}

/** Throws `config-invalid` for an unknown project. */
export async function numberOf(client: Pool | PoolClient, { organisation, code }: ProjectName): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'select id from ml_project where organisation_id = $1 and code = $2',
    [organisation, code],
  );
  if (rows[0] !== undefined) return rows[0].id;
  throw configInvalid(
    `organisation ${organisation} has no project ${JSON.stringify(code)}`,
    'databridge project list shows all projects; databridge project create makes one',
    'project',
  );
}

/** The fault that hinders a delivery, as `consequence.ts` recorded it. */
export interface DeliveryFault {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** How the readings of a project are handed over. The fields of the remote are null where they are stored here only. */
export interface IngestionLine {
  readonly organisation: string;
  readonly project: string;
  readonly ingestion: 'store' | 'push';
  readonly url: string | null;
  readonly remoteOrganisation: string | null;
  readonly remoteProject: string | null;
  readonly applicationId: string | null;
  readonly state: 'active' | 'stopped' | null;
  /** Readings in the outbox, and the number at which it is full. */
  readonly waiting: number | null;
  readonly mostWaiting: number | null;
  /** When the oldest of these readings was stored. */
  readonly oldestAt: Instant | null;
  /** Since when the outbox is full, and sources are not asked. */
  readonly fullSince: Instant | null;
  readonly heldUntil: Instant | null;
  readonly lastDeliveryAt: Instant | null;
  readonly delivered24h: number;
  readonly refused24h: number;
  readonly fault: DeliveryFault | null;
}

/** All projects, or the project of this name. */
export const listIngestions = (database: Database, project?: ProjectName): Promise<IngestionLine[]> =>
  database.rows<IngestionLine & Record<string, unknown>>(
    `select organisation_id as organisation, ml_project.code as project,
       case when remote.project_id is null then 'store' else 'push' end as ingestion, url,
       remote.organisation as "remoteOrganisation", remote.code as "remoteProject", application_id as "applicationId", state,
       case when remote.project_id is not null then coalesce(held.waiting, 0) end as waiting, most_waiting as "mostWaiting",
       instant_of(held.oldest) as "oldestAt", instant_of(full_since) as "fullSince", instant_of(held_until) as "heldUntil",
       instant_of(last_delivery_at) as "lastDeliveryAt", coalesce(sums.readings, 0) as "delivered24h",
       coalesce(sums.refused, 0) as "refused24h", last_fault as fault
     from ml_project left join remote on remote.project_id = ml_project.id
     left join lateral (
       select sum(readings) as waiting, min(noted_at) as oldest from outbox where outbox.project_id = ml_project.id) as held on true
     left join lateral (
       select sum(readings) as readings, sum(refused) as refused from delivery_sum
       where delivery_sum.project_id = ml_project.id and hour > now() - interval '24 hours') as sums on true
     where $1::text is null or organisation_id = $1 and ml_project.code = $2 order by 1, 2`,
    [project?.organisation ?? null, project?.code ?? null],
  );

/** The ingestion of a project as a JSON document, with each instant as text. */
export const ingestionDocument = (line: IngestionLine) => ({
  ...line,
  oldestAt: instantOrNull(line.oldestAt),
  fullSince: instantOrNull(line.fullSince),
  heldUntil: instantOrNull(line.heldUntil),
  lastDeliveryAt: instantOrNull(line.lastDeliveryAt),
});
