import type { AlertKind } from '../core/alert.ts';
import { counted } from '../core/counted.ts';
import { SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { argumentsOf, titleOf } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import type { ConditionCounts } from '../source/condition.ts';
import { measuresOfWork } from '../source/measures.ts';
import type { WorkMeasures } from '../source/measures.ts';
import { heldProjects } from '../source/project-keep.ts';
import { troublesOf, vitalsOf } from '../source/vitals.ts';
import type { Vitals } from '../source/vitals.ts';
import type { Check, Judgement } from './judgement.ts';
import { bridgeFindings, disksOf, sourceFindings } from './observe.ts';
import type { HostDisk } from './observe.ts';
import type { AlertLimits } from './rules.ts';

/** Troubles with one cause. */
export interface TroubleGroup {
  readonly state: Exclude<Check['state'], 'ok'>;
  readonly kind: AlertKind;
  /** In a few words, alike for all that it hits: `credentials refused at plant.example`. */
  readonly cause: string;
  /** How many subjects it hits: sources, projects, hosts, or the bridge itself. */
  readonly count: number;
  /** Whether the subjects are sources. */
  readonly ofSources: boolean;
  /** The first of them by organisation and name, each as `subject` or `organisation/subject`. */
  readonly subjects: readonly string[];
  /** The whole finding of the first of them. */
  readonly detail: string;
  /** What mends it. */
  readonly remedy: string;
  /** The command that shows more, or that mends it. */
  readonly next: string;
}

/** The state of the whole bridge on one screen. */
export interface Overview {
  readonly now: Instant;
  /** `failed`: an operator is needed now; `warning`: later; `ok`: nothing is wrong. */
  readonly state: Check['state'];
  /** The same in one sentence. */
  readonly verdict: string;
  readonly sources: number;
  readonly conditions: ConditionCounts;
  /** Age of the last step of the planner; null before the first one. */
  readonly plannerAge: Microseconds | null;
  readonly workers: Vitals['workers'];
  readonly work: WorkMeasures;
  /** Room on the disks of hosts; undefined for an operator who does not see all organisations. */
  readonly disks: readonly HostDisk[] | undefined;
  /** The projects of which nothing is removed because they are on hold, each as `code` or `organisation/code`. */
  readonly holds: readonly string[];
  /** All groups, the worst first. */
  readonly troubles: readonly TroubleGroup[];
}

export interface WantedOverview {
  readonly limits: AlertLimits;
  /** Whether the database is the embedded one, for which nobody else makes backups. */
  readonly isEmbedded: boolean;
  /** Only sources and projects of these, and of the bridge itself what needs an operator now, planner, workers and queue; undefined: all. */
  readonly organisations?: readonly string[] | undefined;
  /** Findings that the database alone does not give, such as that of the key. */
  readonly more?: readonly Judgement[];
}

/** Judges the bridge as `doctor` and the alerts do, and groups what is wrong by its cause. It is dear: to be asked once for many readers. */
export async function overviewOf(
  database: Database,
  { limits, isEmbedded, organisations, more = [] }: WantedOverview,
): Promise<Overview> {
  const vitals = await vitalsOf(database);
  const work = await measuresOfWork(database, organisations);
  const bridge = await bridgeFindings(database, vitals, { limits, isEmbedded });
  const isPlanned = bridge.every(({ kind, state }) => kind !== 'planner' || state === 'ok');
  const troubles = await troublesOf(database, organisations);
  const { findings, conditions } = await sourceFindings(database, { now: vitals.now, troubles, limits, organisations });
  const seen = [...more, ...bridge, ...findings].filter(
    ({ state, kind, organisation, source }) =>
      state !== 'ok' &&
      // Without a planner every source is late: that is one trouble, which the finding of the planner tells.
      (isPlanned || source === undefined || (kind !== 'behind' && kind !== 'silent')) &&
      (organisations === undefined ||
        (organisation === null
          ? // That nothing is polled, or soon will be, concerns everybody.
            kind === 'planner' || state === 'failed'
          : organisations.includes(organisation))),
  );
  const holds = (await heldProjects(database)).filter((one) => organisations?.includes(one.organisation) ?? true);
  const groups = groupedByCause(seen);
  const sources = Object.values(conditions).reduce((sum, count) => sum + count, 0);
  return {
    now: vitals.now,
    ...verdictOf(groups, { sources, isPlanned }),
    sources,
    conditions,
    plannerAge: vitals.plannerAge,
    workers: vitals.workers,
    work,
    disks: organisations === undefined ? await disksOf(database) : undefined,
    holds: holds.map(({ organisation, code }) => titleOf({ organisation, name: code })),
    troubles: groups,
  };
}

const SUBJECTS_SHOWN = 20;

/** Troubles of the bridge come before those of sources, and then the one that hits most. A subject counts once in a group. */
export function groupedByCause(findings: readonly Judgement[]): TroubleGroup[] {
  const groups = Map.groupBy(findings, (finding) =>
    finding.cause === undefined
      ? `${finding.kind} ${finding.organisation} ${finding.subject} ${finding.detail}`
      : `cause ${finding.cause}`,
  );
  return [...groups.values()]
    .map(groupOf)
    .toSorted(
      (one, other) =>
        Number(other.state === 'failed') - Number(one.state === 'failed') ||
        Number(one.ofSources) - Number(other.ofSources) ||
        other.count - one.count ||
        (one.cause < other.cause ? -1 : 1),
    );
}

function groupOf(findings: readonly Judgement[]): TroubleGroup {
  const worst = findings.find(({ state }) => state === 'failed') ?? (findings[0] as Judgement);
  const subjects = [
    ...new Set(
      findings.map(({ organisation, subject, source }) =>
        organisation === null ? subject : titleOf({ name: source ?? subject, organisation }),
      ),
    ),
  ].toSorted();
  return {
    state: worst.state === 'failed' ? 'failed' : 'warning',
    kind: worst.kind,
    cause: worst.cause ?? worst.detail,
    count: subjects.length,
    ofSources: worst.source !== undefined,
    subjects: subjects.slice(0, SUBJECTS_SHOWN),
    detail: worst.detail,
    remedy: worst.remedy ?? nextOf(worst),
    next: nextOf(worst),
  };
}

/** The command that goes on from a finding. */
function nextOf({ kind, organisation, subject, source }: Judgement): string {
  if (source !== undefined && organisation !== null) {
    const named = argumentsOf({ name: source, organisation });
    if (kind === 'refusals') return `databridge source refusals ${named}`;
    return `databridge source why ${named}`;
  }
  if (kind === 'names' && organisation !== null)
    return `databridge project names ${argumentsOf({ name: subject, organisation })}`;
  if (kind === 'outbox' || kind === 'stopped') return 'databridge ingestion list';
  if (kind === 'backup') return 'databridge backup FILE';
  if (kind === 'key') return 'databridge key show';
  if (kind === 'planner') return 'databridge up';
  return 'databridge doctor';
}

function verdictOf(
  groups: readonly TroubleGroup[],
  { sources, isPlanned }: { readonly sources: number; readonly isPlanned: boolean },
): Pick<Overview, 'state' | 'verdict'> {
  const [worst] = groups;
  if (worst === undefined)
    return { state: 'ok', verdict: isPlanned ? `all is well with ${counted(sources, 'source')}` : 'nothing is polled' };
  const failed = groups.filter(({ state }) => state === 'failed').length;
  const later = groups.length - failed;
  const words = [
    ...(failed === 0 ? [] : [`${counted(failed, 'trouble')} ${failed === 1 ? 'needs' : 'need'} an operator now`]),
    ...(later === 0 ? [] : [`${counted(later, 'trouble')} to look at`]),
  ];
  return { state: worst.state, verdict: `${words.join(', ')}; the worst: ${groupInWords(worst)}` };
}

/** `5 sources: credentials refused at plant.example`. */
export const groupInWords = ({ count, ofSources, cause, subjects }: TroubleGroup): string =>
  `${ofSources && count > 1 ? counted(count, 'source') : (subjects[0] ?? '')}: ${cause}`;

const inSeconds = (length: Microseconds | null): number | null => (length === null ? null : length / SECOND);

/** The same as a JSON document, with lengths of time in seconds. */
export const overviewDocument = ({ now, plannerAge, workers, ...overview }: Overview) => ({
  ...overview,
  now: formatInstant(now),
  plannerAgeSeconds: inSeconds(plannerAge),
  workers: workers.map(({ host, pid, version, age, clockAhead }) => ({
    host,
    pid,
    version,
    ageSeconds: age / SECOND,
    clockAheadSeconds: inSeconds(clockAhead),
  })),
});
