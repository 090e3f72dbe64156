import { counted } from '../../core/counted.ts';
import { BridgeError, asBridgeError, configInvalid } from '../../core/errors.ts';
import { SECOND } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { WAITS, retryDelay } from '../../core/retry.ts';
import { titleOf } from '../../core/source/source-name.ts';
import { isDatabaseAway } from '../../database/away.ts';
import { newMeter } from '../../platform/connection/index.ts';
import type { Sensor } from '../../platform/contract.ts';
import { addStreams, endStreams } from './change-streams.ts';
import type { Bridge } from '../bridge.ts';
import type { Claimed, Report } from '../claim.ts';
import { actOn, faultRecord } from '../consequence.ts';
import type { OpenSource } from '../open/open-source.ts';
import { patientHttp } from './patient-http.ts';
import { listSensors } from './sensors.ts';
import { absentFrom, planStreams, readsAlone } from './stream-plan.ts';
import type { KnownStream, StreamPlan, StreamRules } from './stream-plan.ts';
import { finishCovered } from '../history/wishes.ts';
import { POLL_NEW } from '../work.ts';

/** A source that reads all sensors looks for new ones this often. */
const LOOK_AGAIN = WAITS.look.most;

/** Streams that can be made before the look has ended are stored this often, or when this many sensors wait for it. */
const STORE_EVERY = SECOND;
const STORE_AT = 500;

/**
 * One look for the sensors of a source, a job of its own beside polling: the streams that are known are polled meanwhile, and
 * go on whatever the look meets. New streams are stored as they are found. Only a complete look retires or narrows streams,
 * and only by the operator's choice (stream-plan.ts).
 */
export async function look(bridge: Bridge, sourceId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.take('look', sourceId);
  if (!claimed) return;
  const report = await lookClaimed(bridge, claimed, signal);
  await noteLook(bridge, claimed, report);
  await bridge.claims.report(claimed, report);
  if (report.healthy) await finishCovered(bridge.database, sourceId);
}

/** How a look for sensors ended; well where the whole list of sensors was read. */
interface LookReport extends Report {
  readonly failures: number;
  /** What the operator is told, as JSON; null where there is nothing to tell. Undefined keeps the one before. */
  readonly fault: string | null | undefined;
}

/**
 * What a look tells of its source. The first complete one ends the failures of a source that no poll found well yet. A look that failed
 * lets the known streams be polled. Nothing is told of a configuration that was replaced meanwhile.
 */
async function noteLook({ database, workerId }: Bridge, { id, edition }: Claimed, look: LookReport): Promise<void> {
  const { healthy, failures, fault } = look;
  await database.run(
    `with first as (select $4 and not exists (select from work where kind = 'poll' and work.id = $1 and well_at is not null) as look)
     update source set look_fault = case when $5 then look_fault else $6::jsonb end,
       discovered_at = case when $4 then now() else discovered_at end,
       awaits_look = awaits_look and not $4 and $7,
       failures = case when first.look then 0 else failures end,
       last_fault = case when first.look and state = 'active' then null else last_fault end
     from first where id = $1 and edition = $2
       and exists (select from work where kind = 'look' and work.id = $1 and claimed_by = $3)`,
    [id, edition, workerId, healthy, fault === undefined, fault ?? null, failures === 0],
  );
}

async function lookClaimed(bridge: Bridge, claimed: Claimed, signal: AbortSignal): Promise<LookReport> {
  try {
    return await bridge.sources.use(claimed, (source) => lookUp(bridge, source, claimed, signal));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    return await afterFault(bridge, claimed, asBridgeError(error));
  }
}

async function lookUp(bridge: Bridge, source: OpenSource, claimed: Claimed, signal: AbortSignal): Promise<LookReport> {
  const { clock } = bridge;
  const { sensorsPerRead, namesVariables } = source.platform.facts;
  const mostSeries = bridge.settings.windowReadings;
  const rules: StreamRules = { sensorsPerRead, namesVariables, mostSeries, chosen: source.config.sensors };
  const streams: KnownStream[] = [...claimed.streams];
  const found: Sensor[] = [];
  let storedAt: Instant = -Infinity;

  const store = async (sensors: readonly Sensor[], complete: boolean): Promise<void> => {
    const plan = planStreams(sensors, streams, rules);
    if (plan.added.length === 0 && !complete) return;
    // The first streams of a source are polled at once, and all of them when the look has ended.
    const pollNow = claimed.streams.length === 0 && (complete || streams.length === 0);
    const absent = complete ? absentFrom(sensors, streams) : undefined;
    streams.push(...(await storePlan(bridge, source, plan, { absent, pollNow })));
  };
  const storeFound = (): Promise<void> => store(found.splice(0), false);

  const http = source.connection.http({ lane: 'look', signal, meter: newMeter(), place: bridge.place });
  try {
    const list = await listSensors(
      source,
      patientHttp(http, { now: clock.now, signal, place: bridge.place }),
      async (sensor) => {
        if (!readsAlone(rules)) return;
        found.push(sensor);
        if (found.length < STORE_AT && clock.now() < storedAt + STORE_EVERY) return;
        await storeFound();
        storedAt = clock.now();
      },
    );
    const problem = list.problems[0] ?? absenceProblem(source, claimed.streams, list.sensors);
    await store(list.sensors, true);
    return afterLook(bridge, source, claimed, problem);
  } catch (error) {
    // Each walk begins at the first sensor, so the sensors that this one found count, however it ended.
    if (!isDatabaseAway(error)) await storeFound();
    throw error;
  } finally {
    const added = streams.length - claimed.streams.length;
    if (added > 0) bridge.log.info({ source: titleOf(source), streams: added }, 'sensors found');
  }
}

function afterLook(
  { clock }: Bridge,
  source: OpenSource,
  claimed: Claimed,
  problem: BridgeError | undefined,
): LookReport {
  const now = clock.now();
  if (problem !== undefined) {
    const failures = claimed.workFailures + 1;
    return {
      healthy: true,
      failures,
      fault: recordOf(problem, now),
      dueAt: now + retryDelay(WAITS.look, failures, Math.random()),
    };
  }
  const dueAt = source.config.sensors === 'all' ? now + LOOK_AGAIN : null;
  return { healthy: true, failures: 0, fault: null, dueAt };
}

/**
 * A look that failed leaves the streams alone. The whole source feels three faults: one that asks the source for silence,
 * credentials that are refused altogether, and any fault of a source that has no streams, because no poll would find it.
 */
async function afterFault(bridge: Bridge, claimed: Claimed, error: BridgeError): Promise<LookReport> {
  const now = bridge.clock.now();
  const { fault } = error;
  const unchanged = { healthy: false, failures: claimed.workFailures, fault: undefined };
  if (fault.code === 'cancelled') return { ...unchanged, dueAt: now };
  const isNew = claimed.streams.length === 0;
  const isOwnPace = fault.code === 'throttled' && fault.own === true;
  if (isOwnPace && !isNew) return { ...unchanged, dueAt: Math.min(fault.retryAt, now + LOOK_AGAIN) };
  const failures = claimed.workFailures + (isOwnPace ? 0 : 1);
  if (fault.code === 'throttled' || (fault.code === 'credentials-rejected' && !fault.right) || isNew) {
    await actOn(bridge, claimed, error, { failures: claimed.failures, lane: 'live' });
    return { healthy: false, failures, fault: null, dueAt: now };
  }
  const context = { source: titleOf(claimed), fault: fault.code, remedy: error.remedy };
  bridge.log.warn(fault.code === 'bug' ? { ...context, err: error.cause ?? error } : context, error.message);
  return {
    healthy: false,
    failures,
    fault: recordOf(error, now),
    dueAt: now + retryDelay(WAITS.look, failures, Math.random()),
  };
}

const recordOf = (error: BridgeError, now: Instant): string => faultRecord(error, now, 'looking for sensors');

/** A platform that suddenly shows little of what it had is more likely to be in trouble than to have lost its sensors. */
function absenceProblem(
  source: OpenSource,
  streams: readonly KnownStream[],
  sensors: readonly Sensor[],
): BridgeError | undefined {
  if (source.config.sensors !== 'all') return undefined;
  const absent = absentFrom(sensors, streams).length;
  if (sensors.length > 0 && absent * 2 <= streams.length) return undefined;
  const known =
    streams.length === 0 ? '' : `, and none of ${absent} of the ${streams.length} known streams, which are still read`;
  return configInvalid(
    `the platform shows ${counted(sensors.length, 'sensor')}${known}`,
    'check the options of the source and the rights of its credentials; where sensors are gone for good, list the others under sensors',
    'sensors',
  );
}

/** Stores the changes of a plan. `absent`: ids of streams that a complete look did not show; undefined while it goes on. */
async function storePlan(
  bridge: Bridge,
  source: OpenSource,
  plan: StreamPlan,
  { absent, pollNow }: { readonly absent: readonly number[] | undefined; readonly pollNow: boolean },
): Promise<KnownStream[]> {
  return await bridge.database.transaction(async (client) => {
    // This worker still has the look as it was claimed. The row of the source stays locked until the transaction ends.
    const { rowCount } = await client.query(
      `select from source join work on work.kind = 'look' and work.id = source.id
       where source.id = $1 and edition = $2 and claimed_by = $3 and state = 'active' for no key update of source`,
      [source.id, source.edition, bridge.workerId],
    );
    if (!rowCount) {
      throw new BridgeError({ code: 'cancelled' }, 'the source was changed while its sensors were looked up');
    }
    const added = await addStreams(client, source.id, plan.added);
    if (absent !== undefined) await endStreams(client, plan);
    // No stream of a source that had none can be absent.
    if (absent !== undefined && !pollNow) await client.query(NOTE_ABSENT, [source.id, absent]);
    if (pollNow) await client.query(POLL_NEW, [source.id]);
    return added;
  });
}

const NOTE_ABSENT = `
  update stream set absent_since = case when id = any($2) then now() end
  where source_id = $1 and retired_at is null and (absent_since is not null) <> (id = any($2))`;
