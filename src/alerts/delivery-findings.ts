import { counted } from '../core/counted.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { IngestionLine } from '../delivery/remote.ts';
import { roughly, short } from '../terminal/words.ts';
import { passedStep } from '../core/alert.ts';
import type { Judgement } from './judgement.ts';

/** What the judgement of a delivery needs. */
export type JudgedDelivery = Pick<
  IngestionLine,
  'organisation' | 'project' | 'url' | 'state' | 'waiting' | 'oldestAt' | 'fullSince' | 'fault'
>;

/** The deliveries, with the readings that wait as they were counted last, because counting is slow. */
export const presentDeliveries = (database: Database): Promise<JudgedDelivery[]> =>
  database.rows<JudgedDelivery & Record<string, unknown>>(
    `select organisation_id as organisation, ml_project.code as project, url, state, waiting, instant_of(full_since) as "fullSince",
       last_fault as fault, (select instant_of(noted_at) from outbox where outbox.project_id = remote.project_id order by id limit 1) as "oldestAt"
     from remote join ml_project on ml_project.id = project_id order by 1, 2`,
  );

/** A finding for each delivery that is hindered, or whose oldest reading waits for longer than `oldest`. */
export const deliveryFindings = (
  lines: readonly JudgedDelivery[],
  { now, oldest }: { readonly now: Instant; readonly oldest: Microseconds },
): Judgement[] =>
  lines
    .filter(
      ({ state, fullSince, fault, oldestAt }) =>
        state === 'stopped' || fullSince !== null || fault !== null || (oldestAt !== null && now - oldestAt > oldest),
    )
    .map((line) => deliveryFinding(line, now));

function deliveryFinding(
  { organisation, project, state, fullSince, fault, waiting, url, oldestAt }: JudgedDelivery,
  now: Instant,
): Judgement {
  const because = fault === null ? '' : `: ${short(fault.message, 160)}`;
  const full =
    fullSince === null ? '' : `, which is full since ${formatInstant(fullSince)}, so no source of the project is asked`;
  const age = oldestAt === null ? '' : `, the oldest for more than ${roughly(passedStep(now - oldestAt))}`;
  return {
    check: 'delivery',
    state: state === 'stopped' || fullSince !== null ? 'failed' : 'warning',
    detail: `${project}: ${state === 'stopped' ? 'stopped' : 'waits'}, ${counted(waiting ?? 0, 'reading')} in the outbox${full || age}${because}`,
    remedy: fault?.remedy ?? `check the service at ${url}; databridge ingestion list shows what waits`,
    kind: state === 'stopped' ? 'stopped' : 'outbox',
    organisation,
    subject: `delivery of ${project}`,
  };
}
