import type { Keys } from '../access/keys.ts';
import { keyPlaceOf } from '../access/keys.ts';
import type { StoredSealing } from '../access/stored-sealing.ts';
import type { AlertKind, AlertTrouble } from '../core/alert.ts';
import type { Database } from '../database/database.ts';
import type { Settings } from '../settings.ts';
import { listSources } from '../source/report.ts';
import { troublesOf, vitalsOf } from '../source/vitals.ts';
import type { Trouble } from '../source/vitals.ts';
import {
  backupAge,
  backupFinding,
  clockFindings,
  diskFinding,
  keyFinding,
  nameFindings,
  plannerFinding,
} from './bridge-findings.ts';
import { deliveryFindings, presentDeliveries } from './delivery-findings.ts';
import { troubleOf } from './judgement.ts';
import type { Judgement } from './judgement.ts';
import type { AlertLimits, AlertRules } from './rules.ts';
import { refusalFindings, silentFindings, troubleFinding, unwellFinding, unwellLines } from './source-findings.ts';

/** The parts of a process by which it judges the bridge. */
export interface Observing {
  readonly database: Database;
  readonly keys: Keys;
  readonly sealing: StoredSealing;
  readonly settings: Settings;
}

/** All that an evaluation of the alerts found. */
export interface Observed {
  readonly troubles: readonly AlertTrouble[];
  /** The kinds of which nothing can be said now. */
  readonly unknown: ReadonlySet<AlertKind>;
}

/** Without a planner every source is late and silent: that is one trouble, which the finding of the planner tells. */
const HIDDEN_WITHOUT_PLANNER: readonly AlertKind[] = ['behind', 'silent'];

/** The key is checked this rarely, because that reads every sealed value. Ms. */
const KEY_MS = 60_000;

/** Looks at the whole bridge. To be kept by a process, because it remembers the last look at the key. */
export function alertObserverOf(ground: Observing): (rules: AlertRules) => Promise<Observed> {
  let key: { readonly at: number; readonly finding: Judgement } | undefined;
  const keyNow = async (): Promise<Judgement> => {
    if (key === undefined || performance.now() - key.at > KEY_MS) {
      const finding = await keyFinding(ground, keyPlaceOf(ground.settings));
      key = { at: performance.now(), finding };
    }
    return key.finding;
  };
  return async (rules) => {
    const { database, settings } = ground;
    const { limits } = rules;
    const vitals = await vitalsOf(database);
    const planner = plannerFinding(vitals);
    const troubles = await troublesOf(database);
    const isPlanned = planner.state === 'ok';
    const findings: Judgement[] = [
      planner,
      ...clockFindings(vitals),
      ...(await diskFindings(database, limits)),
      await keyNow(),
      ...deliveryFindings(await presentDeliveries(database), { now: vitals.now, oldest: limits.outboxAge }),
      ...(await nameFindings(database)),
      backupFinding(await backupAge(database), {
        most: limits.backupAge,
        isEmbedded: settings.databaseUrl === undefined,
      }),
      ...(await sourceFindings(database, { now: vitals.now, troubles, limits })),
    ];
    return {
      troubles: findings.flatMap((finding) => troubleOf(finding, rules) ?? []),
      unknown: new Set(isPlanned ? [] : HIDDEN_WITHOUT_PLANNER),
    };
  };
}

/** Findings of sources and streams. */
export async function sourceFindings(
  database: Database,
  {
    now,
    troubles,
    limits,
  }: { readonly now: number; readonly troubles: readonly Trouble[]; readonly limits: AlertLimits },
): Promise<Judgement[]> {
  const lines = await listSources(database);
  return [
    ...troubles.map(troubleFinding),
    ...unwellLines(lines, troubles).flatMap((line) => unwellFinding(line, limits.overdue) ?? []),
    ...silentFindings(lines, { now, silence: limits.silence }),
    ...(await refusalFindings(database, limits.refusedShare)),
  ];
}

/** The newest word of each host about its disk; of hosts whose processes are silent nothing is known, and that is another trouble. */
const DISKS = `
  select distinct on (host) host, disk_free as free, disk_size as size from worker
  where beat_at > now() - interval '1 minute' and disk_free is not null order by host, beat_at desc`;

async function diskFindings(database: Database, { diskFree }: AlertLimits): Promise<Judgement[]> {
  const disks = await database.rows<{ host: string; free: number; size: number }>(DISKS);
  return disks.map((disk) => diskFinding(disk, { host: disk.host, place: disk.host, least: diskFree }));
}
