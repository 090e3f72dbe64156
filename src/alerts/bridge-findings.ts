import { formatBytes } from '../core/bytes.ts';
import { counted } from '../core/counted.ts';
import { asBridgeError } from '../core/errors.ts';
import { SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { passedStep } from '../core/alert.ts';
import { keyUse, sealedValues } from '../access/key-use.ts';
import type { Keys } from '../access/keys.ts';
import { SEALED, sealedByHeader } from '../access/sealed-places.ts';
import { kidOf } from '../access/sealing.ts';
import type { StoredSealing } from '../access/stored-sealing.ts';
import { clocksInWords } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { LIVES } from '../database/presence.ts';
import { growthWarnings, strainedProjects } from '../ingest/name-growth.ts';
import type { Vitals } from '../source/vitals.ts';
import { roughly, short } from '../terminal/words.ts';
import { BRIDGE } from './judgement.ts';
import type { Check, Judgement } from './judgement.ts';

const HALF_GB = 500_000_000;
/** How long after its last beat the planner counts as working: it beats twice a second, and is replaced after 5 s. */
export const PLANNER_FRESH = 15 * SECOND;

type Judged = Pick<Check, 'state' | 'detail'> & { readonly remedy?: string };

const ofBridge = (kind: Judgement['kind'], judged: Judged): Judgement => ({
  check: kind,
  kind,
  organisation: null,
  subject: BRIDGE,
  ...judged,
});

/** The room on the disk of a host. `place`: its directory, for the text. */
export function diskFinding(
  { free, size }: { readonly free: number; readonly size: number },
  { host, place, least }: { readonly host: string; readonly place: string; readonly least: number },
): Judgement {
  const finding = { check: 'disk', kind: 'disk', organisation: null, subject: host } as const;
  const detail = `${formatBytes(free)} of ${formatBytes(size)} free at ${place}`;
  if (free >= Math.max(least, HALF_GB)) return { ...finding, state: 'ok', detail };
  const remedy = 'make room, or move DATABRIDGE_HOME to a larger disk: a full disk stops the database';
  return { ...finding, state: free < HALF_GB ? 'failed' : 'warning', detail, remedy };
}

/** Whether the sealing keys of this process open what is stored. `place`: where it has its key. */
export async function keyFinding(
  { database, keys, sealing }: { readonly database: Database; readonly keys: Keys; readonly sealing: StoredSealing },
  place: string,
): Promise<Judgement> {
  try {
    const kid = await sealing.verify();
    const others = (await keyUse(database, keys)).filter((use) => use.kid !== kid && sealedValues(use) > 0);
    const lost = others.some((use) => use.place === null);
    if (others.length > 0) {
      const values = others.reduce((sum, use) => sum + sealedValues(use), 0);
      return ofBridge('key', {
        state: 'warning',
        detail: `${counted(values, 'value')} ${lost ? 'cannot be opened with any key here' : 'sealed with a previous key'}`,
        remedy: lost ? 'databridge key show names the keys that are missing' : 'databridge key rotate seals them anew',
      });
    }
    if (keys.present().kid === kid)
      return ofBridge('key', { state: 'ok', detail: `${kid} seals the secrets; this host has it` });
    return ofBridge('key', {
      state: 'warning',
      detail: `${kid} seals the secrets; ${keys.present().kid} in ${place} is not in use yet`,
      remedy: 'run databridge key rotate',
    });
  } catch (error) {
    const { message, remedy } = asBridgeError(error);
    return ofBridge('key', {
      state: 'failed',
      detail: `${message}; looked in ${place}`,
      remedy: remedy ?? 'try again',
    });
  }
}

/**
 * Whether each host has the keys of the stored secrets, from what its processes tell with their heartbeats: each process judges all of
 * them alike. Values of before the ids of keys are left to `keyFinding`.
 */
export async function hostKeyFindings(database: Database): Promise<Judgement[]> {
  const { kid } = (await database.row<{ kid: string | null }>('select kid from sealing')) ?? { kid: null };
  if (kid === null) return [];
  const processes = await database.rows<{ host: string; kids: readonly string[] }>(
    `select host, kids from worker where ${LIVES} and kids is not null order by host, kids`,
  );
  const held = new Set(processes.flatMap(({ kids }) => kids));
  const ofHost = (host: string, judged: Judged): Judgement => ({ ...ofBridge('key', judged), subject: host });
  const hosts = [...Map.groupBy(processes, ({ host }) => host)].flatMap(([host, its]) => {
    if (its.some(({ kids }) => !kids.includes(kid)))
      return ofHost(host, {
        state: 'failed',
        detail: `${host} does not have the key ${kid}, which seals the secrets`,
        remedy: 'databridge key show on that host; docs/sealing-key.md says how it gets the key',
      });
    const waiting = its.find(({ kids: [present] }) => present !== kid)?.kids[0];
    if (waiting === undefined) return [];
    return ofHost(host, {
      state: 'warning',
      detail: `${kid} seals the secrets; the key ${waiting} of ${host} is not in use yet`,
      remedy: 'run databridge key rotate',
    });
  });
  const others = new Map<string, number>();
  for (const place of SEALED)
    for (const { count, sample } of await sealedByHeader(database, place)) {
      const of = kidOf(sample);
      if (of !== undefined && of !== kid) others.set(of, (others.get(of) ?? 0) + count);
    }
  if (others.size === 0 || processes.length === 0) return hosts;
  const values = counted(
    [...others.values()].reduce((sum, count) => sum + count, 0),
    'value',
  );
  const lost = [...others.keys()].some((one) => !held.has(one));
  return [
    ...hosts,
    ofBridge('key', {
      state: 'warning',
      detail: `${values} ${lost ? 'cannot be opened with any key of a running process' : 'sealed with a previous key'}`,
      remedy: lost ? 'databridge key show names the keys that are missing' : 'databridge key rotate seals them anew',
    }),
  ];
}

/** One for each worker that polls nothing because the clock of its host and the database's disagree. */
export function clockFindings({ workers, now }: Pick<Vitals, 'workers' | 'now'>): Judgement[] {
  const remedy = `set both clocks by NTP; ${workers.every(({ clockAhead }) => clockAhead !== null) ? 'all workers disagree with the database, so it may be the one that is wrong' : 'other workers poll meanwhile'}`;
  return workers.flatMap(({ host, pid, clockAhead }) =>
    clockAhead === null
      ? []
      : [
          {
            check: `worker ${host}:${pid}`,
            state: 'failed',
            detail: `polls nothing: ${clocksInWords(clockAhead, now)}`,
            remedy,
            kind: 'clock',
            organisation: null,
            subject: host,
          } as const,
        ],
  );
}

/**
 * The processes that poll with other paces of hosts than the most of them: each keeps its own, so a host gets more than one of them says,
 * or more than a process that knows no pace of it was told of.
 */
export function hostPacesFindings({ workers }: Pick<Vitals, 'workers'>): Judgement[] {
  const told = workers.filter(({ paces }) => paces !== null);
  const [most, ...others] = [...Map.groupBy(told, ({ paces }) => paces).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  if (most === undefined || others.length === 0) return [];
  const named = (group: typeof told): string => short(group.map(({ host, pid }) => `${host}:${pid}`).join(', '), 120);
  const detail = `${named(others.flat())} ${others.flat().length === 1 ? 'has' : 'have'} another DATABRIDGE_HOST_PACES than ${named(most)}, so a host may be asked faster than one of them says`;
  const remedy = 'give all processes the same DATABRIDGE_HOST_PACES, and restart those that had another';
  return [ofBridge('settings', { state: 'warning', detail, remedy })];
}

export function plannerFinding({ plannerAge, activeSources }: Pick<Vitals, 'plannerAge' | 'activeSources'>): Judgement {
  if (plannerAge !== null && plannerAge <= PLANNER_FRESH)
    return ofBridge('planner', { state: 'ok', detail: `planned ${roughly(plannerAge)} ago` });
  const detail = plannerAge === null ? 'has never planned' : `last planned ${roughly(plannerAge)} ago`;
  const remedy = 'start databridge up; if it runs, look at its log';
  return ofBridge(
    'planner',
    activeSources > 0
      ? { state: 'failed', detail: `${detail}: no source is polled`, remedy }
      : { state: 'warning', detail, remedy },
  );
}

/** The projects that near their quota, get new names faster than before, or hold names back. */
export async function nameFindings(database: Database): Promise<Judgement[]> {
  const strained = (await strainedProjects(database)).flatMap((growth) =>
    growthWarnings(growth).map(({ message, remedy }) => named(growth, message, remedy)),
  );
  const held = await database.rows<{ organisation: string; code: string; names: number }>(HELD);
  return [
    ...strained,
    ...held.map((project) => {
      const { organisation, code, names } = project;
      const where = organisation === 'default' ? code : `${code} --organisation ${organisation}`;
      return named(
        project,
        `project ${code} holds ${counted(names, 'new name')} back`,
        `databridge project names ${where} lists them; databridge project release lets those in that are meant`,
      );
    }),
  ];
}

const HELD = `
  select organisation_id as organisation, code, count(distinct (sensor_id, value_name)) as names
  from held_name join ml_project on ml_project.id = project_id group by 1, 2 order by 1, 2`;

const named = (
  { organisation, code }: { readonly organisation: string; readonly code: string },
  detail: string,
  remedy: string,
): Judgement => ({ check: 'names', state: 'warning', detail, remedy, kind: 'names', organisation, subject: code });

/** When the newest backup was made, and when the database was. */
export interface BackupAge {
  readonly now: Instant;
  readonly backedUpAt: Instant | null;
  readonly madeAt: Instant;
}

export const backupAge = async (database: Database): Promise<BackupAge> =>
  (await database.row<BackupAge & Record<string, unknown>>(
    `select instant_of(now()) as now, (select instant_of(max(at)) from audit where action = 'bridge.backup') as "backedUpAt",
       (select instant_of(min(run_on) at time zone 'UTC') from migration) as "madeAt"`,
  )) as BackupAge;

/**
 * A bridge of which a backup was made is expected to get another one in time, and so is one with an embedded database, for which nobody
 * else makes backups.
 */
export function backupFinding(
  { now, backedUpAt, madeAt }: BackupAge,
  { most, isEmbedded }: { readonly most: Microseconds; readonly isEmbedded: boolean },
): Judgement {
  if (backedUpAt === null && !isEmbedded)
    return ofBridge('backup', { state: 'ok', detail: 'none was made by databridge; the database is yours to back up' });
  const age = now - (backedUpAt ?? madeAt);
  const detail =
    backedUpAt === null
      ? `none was made in more than ${roughly(passedStep(age))}`
      : `the newest is more than ${roughly(passedStep(age))} old`;
  if (age > most) return ofBridge('backup', { state: 'warning', detail, remedy: 'databridge backup FILE' });
  return ofBridge('backup', {
    state: 'ok',
    detail: backedUpAt === null ? 'none yet' : `made ${roughly(age)} ago`,
  });
}
