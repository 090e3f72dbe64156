import { placeName } from '../../archive/files-at.ts';
import { damagedDays, listDays } from '../../archive/keep.ts';
import type { ListedDay } from '../../archive/keep.ts';
import { assertArchivePlace } from '../../archive/place.ts';
import { formatBytes } from '../../core/bytes.ts';
import { hostname } from 'node:os';
import type { HostPaces } from '../../core/host-pace.ts';
import { counted } from '../../core/counted.ts';
import { BridgeError, asBridgeError } from '../../core/errors.ts';
import { DAY, SECOND, formatInstant, fromMillis } from '../../core/instant.ts';
import type { Database } from '../../database/database.ts';
import { diskRoom } from '../../database/disk.ts';
import { hostPacesMark } from '../../database/presence.ts';
import { hasEmbeddedDatabase, urlOfRunning } from '../../database/running.ts';
import { titleOf } from '../../core/source/source-name.ts';
import { keyPlaceOf } from '../../access/keys.ts';
import { listIngestions } from '../../delivery/remote.ts';
import { requestsByHost } from '../../source/host-requests.ts';
import { unwellSources } from '../../source/listing.ts';
import type { SourceLine } from '../../source/report.ts';
import { troublesOf, vitalsOf } from '../../source/vitals.ts';
import type { Trouble, Vitals } from '../../source/vitals.ts';
import type { Settings } from '../../settings.ts';
import { LEAST_AFTER } from '../../settings-archive.ts';
import { heldProjects } from '../../source/project-keep.ts';
import { holdInWords } from './project-keep.ts';
import { unnamedProxy } from '../../settings-api.ts';
import { openContext } from '../../context.ts';
import type { Context } from '../../context.ts';
import {
  backupAge,
  backupFinding,
  clockFindings,
  diskFinding,
  hostPacesFindings,
  keyFinding,
  nameFindings,
  plannerFinding,
} from '../../alerts/bridge-findings.ts';
import type { Check } from '../../alerts/judgement.ts';
import { DEFAULT_RULES, readRules } from '../../alerts/rules.ts';
import type { AlertRules } from '../../alerts/rules.ts';
import { refusalFindings, toldOnce, troubleFinding, unwellFinding, unwellLines } from '../../alerts/source-findings.ts';
import { alertChecks } from './doctor-alerts.ts';
import { deliveryChecks } from './doctor-deliveries.ts';
import { grouped, roughly, short } from '../../terminal/words.ts';
import { VERSION } from '../../version.ts';

const OLDEST_NODE = 24;
const SKEW = 2 * SECOND;
const TROUBLES_SHOWN = 20;

const ok = (check: string, detail: string): Check => ({ check, state: 'ok', detail });
const warning = (check: string, detail: string, remedy: string): Check => ({ check, state: 'warning', detail, remedy });
const failed = (check: string, detail: string, remedy: string): Check => ({ check, state: 'failed', detail, remedy });

/** Runs all checks, one after the other. */
export async function* diagnose(settings: Settings): AsyncGenerator<Check> {
  yield nodeCheck(process.versions.node);
  const room = await diskRoom(settings.home);
  let rules = DEFAULT_RULES;
  try {
    rules = await readRules(settings.alerts);
  } catch (error) {
    const { message, remedy } = asBridgeError(error);
    yield failed('alerts', message, remedy ?? 'correct the file');
  }
  yield diskFinding(room, { host: hostname(), place: settings.home, least: rules.limits.diskFree });
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
    yield* checksInside(context, { place, rules });
  } finally {
    await context.close();
  }
}

function whereEmbedded(home: string): string {
  return urlOfRunning(home) === undefined ? `embedded in ${home}, started for this check` : `embedded in ${home}`;
}

async function* checksInside(
  { database, clock, keys, sealing, settings }: Context,
  { place, rules }: { readonly place: string; readonly rules: AlertRules },
): AsyncGenerator<Check> {
  const { limits } = rules;
  const vitals = await vitalsOf(database);
  yield ok('database', `PostgreSQL ${vitals.version} ${place}, ${formatBytes(vitals.bytes)}`);
  yield schemaCheck(vitals);
  yield await keyFinding({ database, keys, sealing }, keyPlaceOf(settings));
  const isEmbedded = settings.databaseUrl === undefined;
  yield backupFinding(await backupAge(database), { most: limits.backupAge, isEmbedded });
  const ahead = clock.now() - Date.now() * 1000;
  yield clockCheck(ahead);
  if (settings.redisUrl === undefined) {
    yield vitals.queueInside
      ? ok('queue', 'in the database')
      : warning('queue', 'has no tables yet', 'databridge up creates them');
  }
  yield* archiveChecks(database);
  yield* await holdChecks(database);
  yield workersCheck(vitals);
  yield* clockFindings(vitals);
  yield* hostPacesFindings(vitals);
  const planner = plannerFinding(vitals);
  yield planner;
  yield* deliveryChecks(await listIngestions(database), { now: vitals.now, oldest: limits.outboxAge });
  yield* await nameFindings(database);
  yield* await hostChecks(database, settings.egress.hostPaces, vitals);
  yield* alertChecks(database, rules);
  const troubles = await troublesOf(database);
  // Without a planner every active source is stalled: that is one trouble, which the check of the planner reports.
  const reported = troubles.filter(({ kind }) => kind !== 'stalled' || planner.state === 'ok');
  const { lines } = await unwellSources(database);
  const findings = unwellLines(lines, troubles).flatMap(
    (line) => unwellFinding(line, { now: vitals.now, limits }) ?? [],
  );
  const refusals =
    planner.state === 'ok' ? await refusalFindings(database, limits.refusedShare, { unwell: findings }) : [];
  const others = toldOnce(findings, refusals).filter((finding) => !findings.includes(finding));
  const refusing = new Set(others.map(({ check }) => check));
  const unwell = unwellCheck(
    lines.filter((line) => line.condition !== 'silent' || !refusing.has(`source ${titleOf(line)}`)),
    troubles,
  );
  if (unwell !== undefined) yield unwell;
  else if (reported.length + others.length === 0)
    yield ok('sources', `${vitals.activeSources} active, none in trouble`);
  const told = [...reported.map((trouble) => troubleFinding(trouble, vitals.now)), ...others];
  yield* told.slice(0, TROUBLES_SHOWN);
  if (told.length > TROUBLES_SHOWN) {
    yield warning(
      'sources',
      `${grouped(told.length - TROUBLES_SHOWN)} more in trouble`,
      'databridge source list shows all sources',
    );
  }
}

/** A hold is no trouble, but an operator who looks for room on the disk should know of it. */
const holdChecks = async (database: Database): Promise<Check[]> =>
  (await heldProjects(database)).map(({ organisation, code, hold }) =>
    ok('hold', `project ${titleOf({ organisation, name: code })}: ${holdInWords(hold)}`),
  );

const DAMAGED_SHOWN = 5;

/** Nothing where there is no archive. Files that have the time of their making are compared by their size alone. */
export async function* archiveChecks(database: Database): AsyncGenerator<Check> {
  try {
    await assertArchivePlace(database);
    yield* checksOfDays(database, await listDays(database));
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    yield failed('archive', error.message, error.remedy ?? '');
  }
}

async function* checksOfDays(database: Database, days: readonly ListedDay[]): AsyncGenerator<Check> {
  const { archive } = database;
  if (days.length === 0) {
    if (archive !== undefined) yield ok('archive', `no day is in ${placeName(archive)} yet`);
    return;
  }
  if (archive === undefined) {
    const detail = `${counted(days.length, 'day')} of readings in an archive, and DATABRIDGE_ARCHIVE is not set here`;
    yield failed('archive', detail, 'set DATABRIDGE_ARCHIVE to its place, on every host');
    return;
  }
  const newest = Math.max(...days.map(({ day }) => day)) + DAY;
  const age = Math.floor((fromMillis(Date.now()) - newest) / DAY);
  if (age * DAY < archive.after - 2 * DAY)
    yield warning(
      'archive',
      `a day was moved that ended ${counted(age, 'day')} ago, earlier than DATABRIDGE_ARCHIVE_AFTER says`,
      `set DATABRIDGE_ARCHIVE_AFTER to ${Math.max(LEAST_AFTER, age)} on every host, or what is stored again of such days counts as new`,
    );
  let damaged = 0;
  for await (const { project, fault } of damagedDays(database, days, { whole: false })) {
    damaged += 1;
    if (damaged <= DAMAGED_SHOWN)
      yield failed(
        'archive',
        `project ${project}: ${fault}`,
        'bring the file back from a copy of the archive; databridge archive check lists all such days',
      );
  }
  const bytes = days.reduce((sum, day) => sum + day.bytes, 0);
  const whole = `${counted(days.length, 'day')} of readings, ${formatBytes(bytes)}, in ${placeName(archive)}`;
  if (damaged === 0) yield ok('archive', whole);
  else if (damaged > DAMAGED_SHOWN)
    yield failed('archive', `${damaged} of ${whole} are damaged`, 'databridge archive check lists them');
}

export function nodeCheck(version: string): Check {
  return Number(version.split('.')[0]) >= OLDEST_NODE
    ? ok('node', version)
    : failed('node', `${version} is too old`, `use Node ${OLDEST_NODE} or newer`);
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

/** A warning about sources that are not well and whose trouble is not told otherwise. */
export function unwellCheck(lines: readonly SourceLine[], troubles: readonly Trouble[]): Check | undefined {
  const unwell = unwellLines(lines, troubles);
  if (unwell.length === 0) return undefined;
  const named = unwell.map((line) => `${titleOf(line)} (${line.condition})`);
  return warning(
    'sources',
    `${counted(unwell.length, 'active source')} not well: ${short(named.join(', '), 160)}`,
    'databridge source why NAME; databridge source list --behind shows those that lack time',
  );
}

/**
 * Hosts with a pace, and those that should get one. It is no warning, because each source keeps the pace that was agreed for it. Nothing
 * is said of hosts by settings that no process polls with.
 */
export async function hostChecks(
  database: Database,
  paces: HostPaces,
  { workers }: Pick<Vitals, 'workers'>,
): Promise<Check[]> {
  const mark = hostPacesMark(paces);
  if (workers.some((worker) => worker.paces !== null) && workers.every((worker) => worker.paces !== mark)) {
    const remedy = 'run doctor with the settings of the service to see the paces of hosts';
    return [warning('host', 'this command has another DATABRIDGE_HOST_PACES than the processes that poll', remedy)];
  }
  const hosts = await requestsByHost(database, { listed: [], paces });
  return hosts.flatMap(({ host, pace, advice }) => {
    if (pace !== null) return [ok('host', `${host} gets ${pace} requests a second from all sources at most`)];
    return advice === null ? [] : [ok('host', `${host}: ${advice}`)];
  });
}
