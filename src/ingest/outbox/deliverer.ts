import type { Logger } from 'pino';
import type { Sealing } from '../../access/sealing.ts';
import type { Instant } from '../../core/instant.ts';
import { isDatabaseAway } from '../../database/away.ts';
import type { Database } from '../../database/database.ts';
import { claimable } from '../../database/presence.ts';
import { actOnDelivery } from './consequence.ts';
import { deliver } from './deliver.ts';
import { headOf } from './head.ts';
import { openRemote } from './open-remote.ts';
import type { RemoteRow } from './open-remote.ts';
import { settle } from './settle.ts';
import { countWaiting } from './waiting.ts';

/** Hands over what stands in outboxes. */
export interface Deliverer {
  /** Begins with every project that has something to deliver and is in nobody else's hands. Does not wait for the end. */
  look(): Promise<void>;
  /** Finds out which outboxes are full. */
  count(): Promise<void>;
  /** Begins no new body; resolves when the ones under way are answered. */
  stop(): Promise<void>;
}

export interface DelivererGround {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly workerId: string;
  readonly log: Logger;
  readonly now: () => Instant;
}

/** Readings of a body: many enough for speed, about a megabyte of JSON. */
const BODY_READINGS = 10_000;

/** After so many good bodies a larger one is tried again. */
const GROW_AFTER = 50;

const DUE = `
  select project_id as id from remote
  where state = 'active' and (held_until is null or held_until <= now()) and ${claimable('claimed_by', '$1')}
    and exists (select from outbox where outbox.project_id = remote.project_id)`;

const CLAIM = `
  update remote set claimed_by = $2 from ml_project
  where project_id = $1 and ml_project.id = project_id and state = 'active' and (held_until is null or held_until <= now())
    and ${claimable('claimed_by', '$2')}
  returning project_id as "projectId", ml_project.code as project, url, remote.organisation, remote.code,
    application_id as "applicationId", secret, revision, batch, failures`;

export function delivererOf(ground: DelivererGround): Deliverer {
  const { database, sealing, workerId, log } = ground;
  const running = new Map<number, Promise<void>>();
  let stopping = false;
  let countsAgainAt = 0;

  async function run(projectId: number): Promise<void> {
    const row = await database.row<RemoteRow & Record<string, unknown>>(CLAIM, [projectId, workerId]);
    if (row === undefined) return;
    try {
      await drain(row);
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

  /** One body after the other until nothing is left, an operator changes something or the claim is lost. */
  async function drain(row: RemoteRow): Promise<void> {
    const { projectId } = row;
    const client = await openRemote(database, sealing, row);
    let batch = Math.min(row.batch ?? BODY_READINGS, BODY_READINGS);
    let good = 0;
    while (!stopping && (await isUnchanged(row))) {
      const head = await headOf(database, projectId, batch);
      if (head.ids.length === 0) return;
      const delivered = await deliver(client, row.code, head.readings, batch);
      good = delivered.batch < batch ? 0 : good + 1;
      batch = delivered.batch;
      if (good > 0 && good % GROW_AFTER === 0) batch = Math.min(2 * batch, BODY_READINGS);
      if (!(await settle(database, { projectId, workerId }, head, { ...delivered, batch }))) return;
      if (good === 1 && row.failures > 0) log.info({ project: row.project }, 'delivery goes on');
    }
  }

  const isUnchanged = async ({ projectId, revision }: RemoteRow): Promise<boolean> =>
    (await database.row('select from remote where project_id = $1 and revision = $2 and claimed_by = $3', [
      projectId,
      revision,
      workerId,
    ])) !== undefined;

  return {
    async look() {
      if (stopping) return;
      for (const { id } of await database.rows<{ id: number }>(DUE, [workerId])) {
        if (running.has(id)) continue;
        const work = run(id)
          .catch((error: unknown) => {
            // The claim is this process's own: it is taken up again at the next look.
            log.debug({ err: error }, 'delivery broke off');
          })
          .finally(() => running.delete(id));
        running.set(id, work);
      }
    },
    async count() {
      const began = performance.now();
      if (began < countsAgainAt) return;
      for (const { project, full, waiting } of await countWaiting(database)) {
        if (full)
          log.warn({ project, waiting }, 'the outbox is full: sources of this project are not asked until it has room');
        else log.info({ project, waiting }, 'the outbox has room again');
      }
      // A very long outbox takes long to count; then it is done more rarely.
      countsAgainAt = performance.now() + 20 * (performance.now() - began);
    },
    async stop() {
      stopping = true;
      await Promise.all(running.values());
    },
  };
}
