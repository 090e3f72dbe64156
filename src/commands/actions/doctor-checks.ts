import { formatBytes } from '../../core/bytes.ts';
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { counted } from '../../core/counted.ts';
import { asBridgeError } from '../../core/errors.ts';
import { SECOND, formatInstant } from '../../core/instant.ts';
import { clockTrouble } from '../../core/platform-clock.ts';
import { clocksInWords } from '../../database/clock.ts';
import { hasEmbeddedDatabase, urlOfRunning } from '../../database/running.ts';
import { argumentsOf, titleOf } from '../../core/source/source-name.ts';
import { keyPlaceOf } from '../../access/keys.ts';
import { keyUse, sealedValues } from '../../access/key-use.ts';
import { listIngestions } from '../../delivery/remote.ts';
import { growthWarnings, strainedProjects } from '../../ingest/name-growth.ts';
import { conditionOf } from '../../source/condition.ts';
import { listSources } from '../../source/report.ts';
import type { SourceLine } from '../../source/report.ts';
import { troublesOf, vitalsOf } from '../../source/vitals.ts';
import type { Trouble, Vitals } from '../../source/vitals.ts';
import type { Settings } from '../../settings.ts';
import { unnamedProxy } from '../../settings-api.ts';
import { openContext } from '../../context.ts';
import type { Context } from '../../context.ts';
import { deliveryChecks } from './doctor-deliveries.ts';
import type { Check } from './doctor-deliveries.ts';
import { grouped, roughly, short } from '../../terminal/words.ts';
import { VERSION } from '../../version.ts';

const OLDEST_NODE = 24;
const SKEW = 2 * SECOND;
const GB = 1_000_000_000;
/** How long after its last beat the planner counts as working: it beats twice a second, and is replaced after 5 s. */
export const PLANNER_FRESH = 15 * SECOND;
const TROUBLES_SHOWN = 20;

const ok = (check: string, detail: string): Check => ({ check, state: 'ok', detail });
const warning = (check: string, detail: string, remedy: string): Check => ({ check, state: 'warning', detail, remedy });
const failed = (check: string, detail: string, remedy: string): Check => ({ check, state: 'failed', detail, remedy });

/** Runs all checks, one after the other. */
export async function* diagnose(settings: Settings): AsyncGenerator<Check> {
  yield nodeCheck(process.versions.node);
  yield await diskCheck(settings.home);
  const proxy = unnamedProxy(settings.api);
  if (proxy !== undefined) yield warning('api', proxy.message, proxy.remedy);
  if (settings.redisUrl !== undefined) yield await redisCheck(settings.redisUrl);
  if (settings.databaseUrl === undefined && !hasEmbeddedDatabase(settings.home)) {
    yield failed(
      'database',
      `there is no bridge at ${settings.home}`,
      'set DATABRIDGE_HOME to the directory that holds it, or DATABASE_URL to its database; databridge up makes a new one',
    );
    return;
  }
  const place = settings.databaseUrl === undefined ? whereEmbedded(settings.home) : 'at DATABASE_URL';
  let context: Context;
  try {
    context = await openContext({ settings });
  } catch (error) {
    const { message, remedy } = asBridgeError(error);
    yield failed('database', message, remedy ?? 'look at the log of the database');
    return;
  }
  try {
    yield* checksInside(context, place);
  } finally {
    await context.close();
  }
}

function whereEmbedded(home: string): string {
  return urlOfRunning(home) === undefined ? `embedded in ${home}, started for this check` : `embedded in ${home}`;
}

async function* checksInside(
  { database, clock, keys, sealing, settings }: Context,
  place: string,
): AsyncGenerator<Check> {
  const vitals = await vitalsOf(database);
  yield ok('database', `PostgreSQL ${vitals.version} ${place}, ${formatBytes(vitals.bytes)}`);
  yield schemaCheck(vitals);
  yield await keyCheck({ database, keys, sealing }, keyPlaceOf(settings));
  const ahead = clock.now() - Date.now() * 1000;
  yield clockCheck(ahead);
  if (settings.redisUrl === undefined) {
    yield vitals.queueInside
      ? ok('queue', 'in the database')
      : warning('queue', 'has no tables yet', 'databridge up creates them');
  }
  yield workersCheck(vitals);
  for (const check of clockChecks(vitals)) yield check;
  const planner = plannerCheck(vitals);
  yield planner;
  yield* deliveryChecks(await listIngestions(database));
  for (const growth of await strainedProjects(database)) {
    for (const { message, remedy } of growthWarnings(growth)) yield warning('names', message, remedy);
  }
  const troubles = await troublesOf(database);
  // Without a planner every active source is stalled: that is one trouble, which the check of the planner reports.
  const reported = troubles.filter(({ kind }) => kind !== 'stalled' || planner.state === 'ok');
  const unwell = unwellCheck(await listSources(database), troubles);
  if (unwell !== undefined) yield unwell;
  else if (reported.length === 0) yield ok('sources', `${vitals.activeSources} active, none in trouble`);
  for (const trouble of reported.slice(0, TROUBLES_SHOWN)) yield troubleCheck(trouble);
  if (reported.length > TROUBLES_SHOWN) {
    yield warning(
      'sources',
      `${grouped(reported.length - TROUBLES_SHOWN)} more in trouble`,
      'databridge source list shows all sources',
    );
  }
}

export function nodeCheck(version: string): Check {
  return Number(version.split('.')[0]) >= OLDEST_NODE
    ? ok('node', version)
    : failed('node', `${version} is too old`, `use Node ${OLDEST_NODE} or newer`);
}

async function diskCheck(home: string): Promise<Check> {
  const { bavail, blocks, bsize } = await nearestStatfs(home);
  const free = bavail * bsize;
  const detail = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} free at ${home}`;
  const remedy = 'make room, or move DATABRIDGE_HOME to a larger disk: a full disk stops the database';
  if (free < GB / 2) return failed('disk', detail, remedy);
  return free < 5 * GB ? warning('disk', detail, remedy) : ok('disk', detail);
}

/** The disk of a directory, or of its nearest parent that exists. */
async function nearestStatfs(path: string): Promise<StatsFs> {
  try {
    return await statfs(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestStatfs(dirname(path));
  }
}

async function redisCheck(url: string): Promise<Check> {
  try {
    const { askRedis } = await import('../../queue/redis-facts.ts');
    const { version, evicts } = await askRedis(url);
    if (!evicts) return ok('queue', `Redis ${version}`);
    const remedy = 'set maxmemory-policy to noeviction; evicted jobs are planned again, but late';
    return warning('queue', `Redis ${version} evicts jobs when its memory is full`, remedy);
  } catch (error) {
    const message = error instanceof Error ? error.message || String(error) : String(error);
    return failed(
      'queue',
      `Redis: ${message}`,
      'start Redis, correct REDIS_URL, or leave it out to keep the queue in PostgreSQL',
    );
  }
}

async function keyCheck(
  { database, keys, sealing }: Pick<Context, 'database' | 'keys' | 'sealing'>,
  place: string,
): Promise<Check> {
  try {
    const kid = await sealing.verify();
    const others = (await keyUse(database, keys)).filter((use) => use.kid !== kid && sealedValues(use) > 0);
    const lost = others.some((use) => use.place === null);
    if (others.length > 0) {
      const values = others.reduce((sum, use) => sum + sealedValues(use), 0);
      return warning(
        'key',
        `${counted(values, 'value')} ${lost ? 'cannot be opened with any key here' : 'sealed with a previous key'}`,
        lost ? 'databridge key show names the keys that are missing' : 'databridge key rotate seals them anew',
      );
    }
    if (keys.present().kid === kid) return ok('key', `${kid} seals the secrets; this host has it`);
    return warning(
      'key',
      `${kid} seals the secrets; ${keys.present().kid} in ${place} is not in use yet`,
      'run databridge key rotate',
    );
  } catch (error) {
    const { message, remedy } = asBridgeError(error);
    return failed('key', `${message}; looked in ${place}`, remedy ?? 'try again');
  }
}

/** A database with a newer schema is not opened at all. */
function schemaCheck({ schema: { name, version, at } }: Vitals): Check {
  return ok('schema', `${name}, of ${formatInstant(at)} by databridge ${version ?? '(not noted)'}; this is ${VERSION}`);
}

export function clockCheck(ahead: number): Check {
  const detail = `the database's clock is ${roughly(Math.abs(ahead))} ${ahead < 0 ? 'behind' : 'ahead of'} this host's`;
  if (Math.abs(ahead) <= SKEW) return ok('clock', 'database and host agree');
  return warning('clock', detail, 'set both clocks by NTP; the clock of the database decides which windows are asked');
}

function workersCheck({ workers }: Vitals): Check {
  if (workers.length === 0) return warning('workers', 'no process polls', 'start databridge up or databridge worker');
  const names = workers.map(({ host, pid, version }) => `${host}:${pid} (${version})`);
  const detail = `${workers.length}: ${short(names.join(', '), 200)}`;
  if (workers.every(({ version }) => version === VERSION)) return ok('workers', detail);
  return warning('workers', detail, `bring all hosts to one version; this command is of ${VERSION}`);
}

/** A check for each worker that polls nothing because the clock of its host and the database's disagree. */
export function clockChecks({ workers, now }: Pick<Vitals, 'workers' | 'now'>): Check[] {
  const remedy = `set both clocks by NTP; ${workers.every(({ clockAhead }) => clockAhead !== null) ? 'all workers disagree with the database, so it may be the one that is wrong' : 'other workers poll meanwhile'}`;
  return workers.flatMap(({ host, pid, clockAhead }) =>
    clockAhead === null
      ? []
      : [failed(`worker ${host}:${pid}`, `polls nothing: ${clocksInWords(clockAhead, now)}`, remedy)],
  );
}

export function plannerCheck({ plannerAge, activeSources }: Pick<Vitals, 'plannerAge' | 'activeSources'>): Check {
  if (plannerAge !== null && plannerAge <= PLANNER_FRESH) return ok('planner', `planned ${roughly(plannerAge)} ago`);
  const detail = plannerAge === null ? 'has never planned' : `last planned ${roughly(plannerAge)} ago`;
  const remedy = 'start databridge up; if it runs, look at its log';
  return activeSources > 0
    ? failed('planner', `${detail}: no source is polled`, remedy)
    : warning('planner', detail, remedy);
}

/**
 * A warning about active sources that are behind, whose points were all refused, or that never had a poll that succeeded. It
 * leaves out those whose trouble is told otherwise.
 */
export function unwellCheck(lines: readonly SourceLine[], troubles: readonly Trouble[]): Check | undefined {
  const told = new Set(troubles.map(({ source, organisation }) => titleOf({ name: source, organisation })));
  const unwell = lines.filter(
    (line) => line.state === 'active' && conditionOf(line) !== 'well' && !told.has(titleOf(line)),
  );
  if (unwell.length === 0) return undefined;
  const named = unwell.map((line) => `${titleOf(line)} (${conditionOf(line)})`);
  return warning(
    'sources',
    `${counted(unwell.length, 'active source')} not well: ${short(named.join(', '), 160)}`,
    'databridge source why NAME; databridge source list --behind shows those that lack time',
  );
}

export function troubleCheck({
  source: name,
  organisation,
  stream,
  kind,
  failures,
  until,
  fault,
  clock,
}: Trouble): Check {
  const because = fault === null ? '' : `: ${short(fault.message, 160)}`;
  const source = titleOf({ name, organisation });
  const show = `databridge source show ${argumentsOf({ name, organisation })}`;
  switch (kind) {
    case 'stopped':
      return failed(
        `source ${source}`,
        `stopped${because}`,
        `${fault?.remedy ?? show}; then databridge source resume ${argumentsOf({ name, organisation })}`,
      );
    case 'stalled':
      return failed(
        `source ${source}`,
        'was due long ago and is not polled',
        `${show}; restart databridge if that shows no fault`,
      );
    case 'failing':
      return warning(`source ${source}`, `${counted(failures, 'failure')} in a row${because}`, fault?.remedy ?? show);
    case 'clock': {
      const { message, remedy } = clockTrouble(clock?.ahead ?? 0, clock?.settle ?? 0);
      return warning(`source ${source}`, message, remedy);
    }
    case 'looking':
      return warning(
        `sensors of ${source}`,
        `${counted(failures, 'look')} in a row with a fault${because}`,
        fault?.remedy ?? show,
      );
    case 'waiting': {
      const wait = until === null ? '' : `, waits until ${formatInstant(until)}`;
      return warning(
        `stream ${stream ?? ''} of ${source}`,
        `${counted(failures, 'failure')}${wait}${because}`,
        fault?.remedy ?? show,
      );
    }
  }
}
