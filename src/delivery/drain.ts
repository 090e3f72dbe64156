import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sealing } from '../access/sealing.ts';
import type { PushClient, PushFetch } from '../client/index.ts';
import { BridgeError } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { isDatabaseAway } from '../database/away.ts';
import type { Database } from '../database/database.ts';
import { claimable } from '../database/presence.ts';
import { actOnDelivery } from './consequence.ts';
import { BODY_READINGS, deliverReadings } from './deliver.ts';
import type { BodySize, DeliveredReadings } from './deliver.ts';
import { headOf } from './head.ts';
import type { Head } from './head.ts';
import type { DeliveryMeters } from './meters.ts';
import { openRemote } from './open-remote.ts';
import type { RemoteRow } from './open-remote.ts';
import { keepNoted, settle } from './settle.ts';

/** The parts that a deliverer works with. */
export interface DelivererGround {
  readonly database: Database;
  readonly sealing: Sealing;
  /** Goes through the egress guard, as every request of the bridge. */
  readonly fetch: PushFetch;
  readonly workerId: string;
  readonly log: Logger;
  readonly now: () => Instant;
  /** Undefined where the process is not monitored. */
  readonly meters?: DeliveryMeters | undefined;
}

/** How deliveries learn that their process ends. */
export interface Ending {
  readonly stopping: () => boolean;
  /** Aborting it breaks off the body under way. */
  readonly signal: AbortSignal;
}

/** A claim ends after this time, so that each of many projects has its turn. */
const TURN_MS = 30_000;

const ASK_DATABASE_AGAIN_MS = 1_000;

const CLAIM = `
  update remote set claimed_by = $2 from ml_project
  where project_id = $1 and ml_project.id = project_id and state = 'active' and (held_until is null or held_until <= now())
    and ${claimable('claimed_by', '$2')}
  returning project_id as "projectId", ml_project.code as project, url, remote.organisation, remote.code,
    application_id as "applicationId", secret, revision, batch, failures`;

/** Delivers the outbox of one project, unless another process has claimed it. */
export async function drain(ground: DelivererGround, projectId: number, ending: Ending): Promise<void> {
  const { database, workerId } = ground;
  const row = await database.row<RemoteRow & Record<string, unknown>>(CLAIM, [projectId, workerId]);
  if (row === undefined) return;
  try {
    await sendAll(ground, row, await openRemote(ground, row), ending);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await actOnDelivery(ground, row, error);
  } finally {
    await database.run('update remote set claimed_by = null where project_id = $1 and claimed_by = $2', [
      projectId,
      workerId,
    ]);
  }
}

/** Sends one body after the other until none is left, the turn is over, an operator changes the remote or the claim is lost. */
async function sendAll(ground: DelivererGround, row: RemoteRow, client: PushClient, ending: Ending): Promise<void> {
  const { database, log } = ground;
  const until = performance.now() + TURN_MS;
  let batch: BodySize = { size: Math.min(row.batch ?? BODY_READINGS, BODY_READINGS), good: 0 };
  let failures = row.failures;
  while (!ending.stopping() && performance.now() < until && (await isUnchanged(ground, row))) {
    const head = await headOf(database, row.projectId, batch.size);
    if (head.rows.length === 0) return;
    const delivered = await sendHead(ground, row, { client, head, batch }, ending);
    batch = delivered.batch;
    const { requests, refused } = delivered;
    ground.meters?.delivered({ requests, readings: head.readings.length, refused: refused.length });
    const claim = { ...row, workerId: ground.workerId };
    if (!(await untilDatabaseIsBack(ending, () => settle(database, claim, head, delivered)))) return;
    if (failures > 0) log.info({ project: row.project }, 'delivery goes on');
    failures = 0;
  }
}

/** Sends the oldest readings. A body that failed may have arrived all the same, so its readings stay noted. */
async function sendHead(
  { database, workerId }: DelivererGround,
  row: RemoteRow,
  { client, head, batch }: { readonly client: PushClient; readonly head: Head; readonly batch: BodySize },
  ending: Ending,
): Promise<DeliveredReadings> {
  const assertGoing = (): void => {
    if (ending.stopping()) throw new BridgeError({ code: 'cancelled' }, 'stopped between two bodies');
  };
  try {
    return await deliverReadings({ client, code: row.code, signal: ending.signal, assertGoing }, head.readings, batch);
  } catch (error) {
    await untilDatabaseIsBack(ending, () => keepNoted(database, { ...row, workerId }, head));
    throw ending.signal.aborted ? new BridgeError({ code: 'cancelled' }, 'stopped in a body') : error;
  }
}

/** Repeats `work` while the database is away, unless this process ends. */
async function untilDatabaseIsBack<T>({ stopping }: Ending, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || stopping()) throw error;
      await sleep(ASK_DATABASE_AGAIN_MS);
    }
  }
}

const isUnchanged = async (
  { database, workerId }: DelivererGround,
  { projectId, revision }: RemoteRow,
): Promise<boolean> =>
  (await database.row('select from remote where project_id = $1 and revision = $2 and claimed_by = $3', [
    projectId,
    revision,
    workerId,
  ])) !== undefined;
