import type { Keys } from '../access/keys.ts';
import { tidyAccess } from '../access/tidy.ts';
import type { DueDay } from '../archive/due.ts';
import { assertArchiveKnown } from '../archive/manifest.ts';
import { holdArchive, unlessAway } from '../archive/place.ts';
import { formatInstant } from '../core/instant.ts';
import { isDatabaseAway } from '../database/away.ts';
import { dropOldMemories } from '../database/memory.ts';
import { clocksInWords } from '../database/clock.ts';
import { diskRoom } from '../database/disk.ts';
import { delivererOf } from '../delivery/deliverer.ts';
import { outgoingFetch } from '../platform/connection/outgoing.ts';
import { isRedisAway, openQueue } from '../queue/queue.ts';
import type { Work } from '../queue/queue.ts';
import type { Bridge } from '../pull/bridge.ts';
import { look } from '../pull/sensors/discovery.ts';
import { history } from '../pull/history/history.ts';
import { forgetImpossibleWaits, uncoverEarlyWindows, uncoverFutureWindows } from '../upkeep/future.ts';
import { growthWarnings, strainedUntold } from '../ingest/name-growth.ts';
import { dropOldHeldNames, dropOldLogs, forgetAccounts } from '../upkeep/housekeeping.ts';
import { jobsUnderWay } from './jobs-under-way.ts';
import { planInTurn } from '../pull/planner.ts';
import { poll } from '../pull/poll.ts';
import { BEAT_MS, presenceOf } from '../database/presence.ts';
import { quietWindows } from '../upkeep/quiet-windows.ts';
import { countRequestHours } from '../upkeep/request-hours.ts';
import { repeat } from '../database/repeat.ts';
import { trimProjects } from '../upkeep/retention.ts';

/** A process that polls. */
export interface Daemon {
  /** Takes no new jobs and lets running ones end after their present window. @returns whether all of them ended in time */
  drain(): Promise<boolean>;
}

/** Each process looks for due work this often. */
const TICK_MS = 250;
const WATCH_MS = 1_000;
const CLOCK_MS = 10_000;
const HOUSEKEEPING_MS = 600_000;
const NAMES_MS = 60_000;
const QUIET_MS = 60_000;

/** The pace knows the requests of the last hour, and a process that starts counts those at once. */
const HOURS_MS = 15 * 60_000;
/** Looks for sensors that a process runs at a time. Each asks one request after the other, and new sources wait for theirs. */
const LOOKS = 40;

/** Places for jobs of sources and streams in trouble, as a share of the places for polls. */
const TROUBLED_SHARE = 0.1;

const SAID_MS = 10_000;
const DELIVER_MS = 250;
const COUNT_MS = 1_000;

/**
 * Starts polls, looks for sensors, history, deliveries and the planner. Waits
 * for a queue that is away; throws `cancelled` where `signal` aborts first.
 */
export async function startDaemon(
  bridge: Bridge & { readonly keys: Keys },
  version: string,
  signal: AbortSignal,
): Promise<Daemon> {
  const { database, settings, log } = bridge;
  if (database.archive !== undefined) await unlessAway(holdArchive(database));
  const presence = presenceOf(database, bridge.workerId, version, {
    kids: () => bridge.keys.kids(),
    disk: () => diskRoom(settings.home),
    hostPaces: settings.egress.hostPaces,
  });
  await presence.beat(bridge.clock.disagreement());
  const complain = throttledComplaint(bridge);
  const queue = await openQueue({
    redisUrl: settings.redisUrl,
    prefix: settings.queuePrefix,
    database,
    onError: complain,
    signal,
  });
  const failSoft = (name: string, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (isDatabaseAway(error) || isRedisAway(error)) complain(error);
      else log.error({ err: error }, `${name} failed`);
    });
  const underWay = jobsUnderWay(database, bridge.workerId);
  const once = async (name: Work, id: number, work: () => Promise<void>): Promise<void> => {
    // A job that was taken before the clocks were found to disagree is planned again.
    if (bridge.clock.disagreement() !== undefined) return;
    await failSoft(name, underWay.run(name, id, work));
  };
  /** Also a host that polls nothing because of its clock gives back what it holds. */
  async function beat(): Promise<void> {
    await presence.beat(bridge.clock.disagreement());
    await underWay.giveBack();
  }
  // Before the first request, which makes those of an hour and more ago be forgotten.
  await failSoft('count of requests', countRequestHours(database, bridge.clock.now()));
  const jobs = queue.work(
    {
      poll: (id, stopping, place) => once('poll', id, () => poll({ ...bridge, place }, id, stopping)),
      look: (id, stopping, place) => once('look', id, () => look({ ...bridge, place }, id, stopping)),
      history: (id, stopping, place) => once('history', id, () => history({ ...bridge, place }, id, stopping)),
    },
    {
      poll: settings.polls,
      look: LOOKS,
      history: settings.historyJobs,
      troubled: Math.ceil(settings.polls * TROUBLED_SHARE),
    },
  );
  const clocks = clockWatch(bridge, (taking) => jobs.take(taking));
  await clocks.obey();
  const deliverer = delivererOf({
    ...bridge,
    fetch: outgoingFetch(bridge.settings.egress),
    now: bridge.clock.now,
  });
  const quiet = quietWindows(database, bridge.clock.now);
  /** Says which projects near their quota or get strange names, each once an hour. */
  async function tellStrained(): Promise<void> {
    for (const growth of await strainedUntold(database)) {
      for (const { message, remedy } of growthWarnings(growth)) {
        log.warn({ organisation: growth.organisation, project: growth.code, remedy }, message);
      }
    }
  }
  /** A host whose clock is off leaves the planning to others. */
  async function plan(): Promise<void> {
    if (bridge.clock.disagreement() === undefined)
      await failSoft('planner', planInTurn(database, queue, bridge.meters));
  }
  const stopping = new AbortController();
  const failedDays = new Map<string, DueDay>();
  /** Moves the days that are due, one after the other, beside all other work. What moves is loaded only where there is an archive. */
  async function archive(): Promise<void> {
    // Another host may have moved the first days since this process began.
    if (database.archive === undefined) return await assertArchiveKnown(database);
    const { archiveDue } = await import('../archive/due.ts');
    const how = { signal: stopping.signal, failed: failedDays };
    for await (const { project, day, moved } of archiveDue(database, bridge.clock, how)) {
      if ('rows' in moved) log.info({ project, day: formatInstant(day).slice(0, 10), ...moved }, 'a day was archived');
    }
  }
  /** Removes readings that are older than their projects keep them, before days are moved, so that none is moved in vain. */
  async function trim(): Promise<void> {
    if (bridge.clock.disagreement() !== undefined) return;
    for await (const one of trimProjects(database, { signal: stopping.signal, often: true })) {
      const { organisation, code: project } = one;
      if (one.outcome === 'removed')
        log.info(
          { organisation, project, day: formatInstant(one.day).slice(0, 10), readings: one.readings },
          'old readings were removed',
        );
      else if (one.outcome === 'bound' && one.archivedDays > 0)
        log.info(
          {
            organisation,
            project,
            before: formatInstant(one.bound),
            days: one.archivedDays,
            readings: one.archivedReadings,
          },
          'old archived days were given up',
        );
    }
  }
  /** Neither keeps the other from its work. */
  async function tidyReadings(): Promise<void> {
    await failSoft('retention', trim());
    await failSoft('archive', archive());
  }
  const planning = repeat(TICK_MS, plan, complain);
  const loops = [
    repeat(BEAT_MS, beat, complain),
    repeat(CLOCK_MS, bridge.clock.adjust, complain),
    repeat(WATCH_MS, () => clocks.obey(), complain),
    repeat(CLOCK_MS, () => (clocks.agree() ? forgetFuture(bridge) : Promise.resolve()), complain),
    repeat(DELIVER_MS, () => deliverer.look(), complain),
    repeat(COUNT_MS, () => deliverer.count(), complain),
    repeat(NAMES_MS, tellStrained, complain),
    repeat(QUIET_MS, () => quiet.putTogether(), complain),
    repeat(HOURS_MS, () => countRequestHours(database, bridge.clock.now()), complain),
    repeat(HOUSEKEEPING_MS, () => dropOldLogs(database, settings.logDays), complain),
    repeat(HOUSEKEEPING_MS, () => dropOldHeldNames(database, settings.logDays), complain),
    repeat(HOUSEKEEPING_MS, () => tidyAccess(database), complain),
    repeat(HOUSEKEEPING_MS, () => forgetAccounts(database), complain),
    repeat(HOUSEKEEPING_MS, () => dropOldMemories(database), complain),
    repeat(HOUSEKEEPING_MS, tidyReadings, complain),
  ];
  return {
    async drain() {
      // What is dispatched from now on would wait in the queue for the next start.
      const planned = planning.stop();
      stopping.abort();
      const inTime = await jobs.drain(settings.drainMs);
      if (!inTime) log.warn('some jobs did not end in time; their windows will be asked again');
      await Promise.all([planned, ...loops.map((loop) => loop.stop())]);
      await deliverer.stop();
      await presence.leave().catch(complain);
      await queue.close();
      await bridge.sources.closeAll();
      return inTime;
    },
  };
}

/** Keeps this process from taking jobs, planning included, while its clock and the database's disagree, and says so. */
function clockWatch(
  { clock, log }: Pick<Bridge, 'clock' | 'log'>,
  take: (jobs: boolean) => Promise<void>,
): { agree(): boolean; obey(): Promise<void> } {
  let taking = true;
  const agree = (): boolean => clock.disagreement() === undefined;
  return {
    agree,
    async obey() {
      const ahead = clock.disagreement();
      if (taking === agree()) return;
      taking = agree();
      if (ahead === undefined) log.info('the clocks of this host and of the database agree again; it polls');
      else {
        const remedy = 'set both clocks by NTP; which of them is wrong cannot be known here';
        log.error({ remedy }, `this host polls nothing: ${clocksInWords(ahead, Date.now() * 1000 - ahead)}`);
      }
      await take(taking);
    },
  };
}

/** Repairs the traces of a database whose clock was ahead, and says so. */
async function forgetFuture({ database, clock, log }: Bridge): Promise<void> {
  const { recent } = clock.setBacks();
  const early = recent === undefined ? 0 : await uncoverEarlyWindows(database, recent);
  const windows = early + (await uncoverFutureWindows(database));
  const waits = await forgetImpossibleWaits(database);
  if (windows + waits === 0) return;
  log.warn(
    { windows, waits },
    'the clock of the database was ahead; windows are asked again and impossible waits dropped',
  );
}

/** While the database or Redis is away every loop fails. Each reason is logged at most once in ten seconds. */
function throttledComplaint({ log }: Pick<Bridge, 'log'>): (error: unknown) => void {
  const saidAt = new Map<string, number>();
  return (error) => {
    const message = error instanceof Error ? error.message || error.name : String(error);
    const now = performance.now();
    for (const [said, at] of saidAt) if (now - at > SAID_MS) saidAt.delete(said);
    if (saidAt.has(message)) return;
    saidAt.set(message, now);
    log.warn({ reason: message }, 'the database or the queue is away; waiting for it');
  };
}
