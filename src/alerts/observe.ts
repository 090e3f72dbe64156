import type { AlertKind, AlertTrouble } from '../core/alert.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { Settings } from '../settings.ts';
import type { ConditionCounts } from '../source/condition.ts';
import { unwellSources } from '../source/listing.ts';
import type { SourceLine } from '../source/report.ts';
import { troublesOf, vitalsOf } from '../source/vitals.ts';
import type { Trouble, Vitals } from '../source/vitals.ts';
import {
  backupAge,
  backupFinding,
  clockFindings,
  diskFinding,
  hostKeyFindings,
  hostPacesFindings,
  nameFindings,
  plannerFinding,
} from './bridge-findings.ts';
import { deliveryFindings, presentDeliveries } from './delivery-findings.ts';
import { troubleOf } from './judgement.ts';
import type { Judgement } from './judgement.ts';
import type { AlertLimits, AlertRules } from './rules.ts';
import {
  refusalFindings,
  toldOnce,
  toldTroubles,
  troubleFinding,
  unwellFinding,
  unwellLines,
} from './source-findings.ts';
import { unheardSources, unjudgedOf } from './unjudged.ts';

/** The parts of a process by which it judges the bridge. None of them may make it judge otherwise than another process. */
export interface Observing {
  readonly database: Database;
  readonly settings: Settings;
}

/** All that an evaluation of the alerts found. */
export interface Observed {
  readonly troubles: readonly AlertTrouble[];
  /** The kinds of which nothing can be said now. */
  readonly unknown: ReadonlySet<AlertKind>;
  /** How long an alert without a trouble goes on because nothing can be said now of its subject, µs; Infinity: until something can. */
  readonly unjudgedFor: (alert: Pick<AlertTrouble, 'kind' | 'organisation' | 'subject'>) => Microseconds;
}

/** Without a planner every source is late and silent: that is one trouble, which the finding of the planner tells. */
const HIDDEN_WITHOUT_PLANNER: readonly AlertKind[] = ['behind', 'silent'];

/** The keys are checked this rarely, because that reads every sealed value. Ms. */
const KEY_MS = 60_000;

/** Looks at the whole bridge. To be kept by a process, because it remembers the last look at the keys. */
export function alertObserverOf(ground: Observing): (rules: AlertRules) => Promise<Observed> {
  let keys: { readonly at: number; readonly findings: readonly Judgement[] } | undefined;
  const keysNow = async (): Promise<readonly Judgement[]> => {
    if (keys === undefined || performance.now() - keys.at > KEY_MS)
      keys = { at: performance.now(), findings: await hostKeyFindings(ground.database) };
    return keys.findings;
  };
  return async (rules) => {
    const { database, settings } = ground;
    const { limits } = rules;
    const vitals = await vitalsOf(database);
    const isEmbedded = settings.databaseUrl === undefined;
    const ofBridge = await bridgeFindings(database, vitals, { limits, isEmbedded });
    const troubles = await troublesOf(database);
    const isPlanned = ofBridge.every(({ kind, state }) => kind !== 'planner' || state === 'ok');
    const ofSources = await sourceFindings(database, { now: vitals.now, troubles, limits });
    const findings = [...ofBridge, ...(await keysNow()), ...ofSources.findings];
    return {
      troubles: findings.flatMap((finding) => troubleOf(finding, rules) ?? []),
      unknown: new Set(isPlanned ? [] : HIDDEN_WITHOUT_PLANNER),
      unjudgedFor: unjudgedOf({ ...ofSources, unheard: await unheardSources(database) }),
    };
  };
}

/** Findings of the bridge itself and of its projects, without that of the key, which reads every sealed value. */
export async function bridgeFindings(
  database: Database,
  vitals: Vitals,
  { limits, isEmbedded }: { readonly limits: AlertLimits; readonly isEmbedded: boolean },
): Promise<Judgement[]> {
  return [
    plannerFinding(vitals),
    ...clockFindings(vitals),
    ...hostPacesFindings(vitals),
    ...(await disksOf(database)).map((disk) =>
      diskFinding(disk, { host: disk.host, place: disk.host, least: limits.diskFree }),
    ),
    ...deliveryFindings(await presentDeliveries(database), { now: vitals.now, oldest: limits.outboxAge }),
    ...(await nameFindings(database)),
    backupFinding(await backupAge(database), { most: limits.backupAge, isEmbedded }),
  ];
}

/** Findings of sources and streams, with the number of sources in each condition. */
export async function sourceFindings(
  database: Database,
  {
    now,
    troubles,
    limits,
    organisations,
  }: {
    readonly now: Instant;
    readonly troubles: readonly Trouble[];
    readonly limits: AlertLimits;
    /** Those whose sources count and are judged; undefined: all. */
    readonly organisations?: readonly string[] | undefined;
  },
): Promise<{
  readonly findings: readonly Judgement[];
  readonly lines: readonly SourceLine[];
  readonly conditions: ConditionCounts;
}> {
  const { conditions, lines } = await unwellSources(database, organisations);
  const unwell = unwellLines(lines, troubles).flatMap((line) => unwellFinding(line, { now, limits }) ?? []);
  return {
    conditions,
    lines,
    findings: [
      ...toldTroubles(troubles, lines).map((trouble) => troubleFinding(trouble, now)),
      ...toldOnce(unwell, await refusalFindings(database, limits.refusedShare, { organisations, unwell })),
    ],
  };
}

/** The room on the disk of a host, in bytes. */
export interface HostDisk {
  readonly host: string;
  readonly free: number;
  readonly size: number;
}

/** The newest word of each host about its disk; of hosts whose processes are silent nothing is known, and that is another trouble. */
const DISKS = `
  select distinct on (host) host, disk_free as free, disk_size as size from worker
  where beat_at > now() - interval '1 minute' and disk_free is not null order by host, beat_at desc`;

export const disksOf = (database: Database): Promise<HostDisk[]> =>
  database.rows<HostDisk & Record<string, unknown>>(DISKS);
