import { passedStep } from '../core/alert.ts';
import type { AlertKind } from '../core/alert.ts';
import type { Condition } from '../core/condition.ts';
import { counted } from '../core/counted.ts';
import { causeOfFault, remedyOfStopped } from '../core/fault-words.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { clockTrouble } from '../core/platform-clock.ts';
import { HOURS_OF_REFUSALS, refusedShare, shareInWords } from '../core/refused-share.ts';
import type { HourOfPoints } from '../core/refused-share.ts';
import { argumentsOf, titleOf } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import { allRefusedInWords } from '../source/all-refused.ts';
import { silenceInWords } from '../source/silence.ts';
import type { SourceLine } from '../source/report.ts';
import type { Trouble } from '../source/vitals.ts';
import { roughly, short } from '../terminal/words.ts';
import type { Judgement } from './judgement.ts';
import type { AlertLimits } from './rules.ts';

/** The finding of a source or stream in trouble. A wait that is over at `now` is not told. */
export function troubleFinding(trouble: Trouble, now: Instant): Judgement {
  const { source: name, organisation, stream, kind, failures, until, fault, clock } = trouble;
  const because = fault === null ? '' : `: ${short(fault.message, 160)}`;
  const source = titleOf({ name, organisation });
  const show = `databridge source show ${argumentsOf({ name, organisation })}`;
  const faulty: AlertKind = fault?.code === 'contract-broken' ? 'contract' : 'failing';
  const cause = fault === null ? {} : { cause: causeOfFault(fault) };
  const of = { check: `source ${source}`, organisation, subject: name, source: name, ...cause } as const;
  switch (kind) {
    case 'stopped':
      return {
        ...of,
        kind: 'stopped',
        state: 'failed',
        detail: `stopped${because}`,
        remedy: remedyOfStopped(
          fault?.remedy ?? show,
          `databridge source resume ${argumentsOf({ name, organisation })}`,
        ),
      };
    case 'stalled':
      return {
        ...of,
        kind: 'behind',
        state: 'failed',
        cause: 'not polled',
        detail: 'was due long ago and is not polled',
        remedy: `${show}; restart databridge if that shows no fault`,
      };
    case 'failing':
      return {
        ...of,
        kind: faulty,
        state: 'warning',
        detail: `${counted(failures, 'failure')} in a row${because}`,
        remedy: fault?.remedy ?? show,
      };
    case 'clock': {
      const { message, remedy } = clockTrouble(clock?.ahead ?? 0, clock?.settle ?? 0);
      return {
        ...of,
        kind: 'clock',
        state: 'warning',
        cause: 'clocks of platforms are wrong',
        detail: message,
        remedy,
      };
    }
    case 'looking':
      return {
        ...of,
        check: `sensors of ${source}`,
        kind: faulty,
        state: 'warning',
        detail: `${counted(failures, 'look')} in a row with a fault${because}`,
        remedy: fault?.remedy ?? show,
      };
    case 'waiting': {
      const wait = until === null || until <= now ? '' : `, waits until ${formatInstant(until)}`;
      return {
        ...of,
        check: `stream ${stream ?? ''} of ${source}`,
        subject: `${name} ${stream ?? ''}`,
        kind: faulty,
        state: 'warning',
        detail: `${counted(failures, 'failure')}${wait}${because}`,
        remedy: fault?.remedy ?? show,
      };
    }
  }
}

/**
 * The troubles, each told once however many streams of a source it hits: streams that wait for the cause for which their source fails are
 * left out, and a source of which every stream waits for the same cause fails itself.
 */
export function toldTroubles(troubles: readonly Trouble[], lines: readonly SourceLine[]): readonly Trouble[] {
  const streamsOf = new Map(lines.map((line) => [titleOf(line), line.streams]));
  const causes = Map.groupBy(troubles, ({ source, organisation, fault }) =>
    JSON.stringify([organisation, source, fault && causeOfFault(fault)]),
  );
  return [...causes.values()].flatMap((alike) => {
    const waiting = alike.filter(({ kind }) => kind === 'waiting');
    const others = alike.filter(({ kind }) => kind !== 'waiting');
    const [first] = waiting;
    if (first === undefined || others.some(({ kind }) => kind === 'failing' || kind === 'looking')) return others;
    const streams = streamsOf.get(titleOf({ name: first.source, organisation: first.organisation }));
    if (new Set(waiting.map(({ stream }) => stream)).size !== streams) return alike;
    const failures = Math.max(...waiting.map((one) => one.failures));
    return [...others, { ...first, kind: 'failing', stream: null, failures }];
  });
}

/** The kind of alert of a source in each condition; null for those of which nobody is told. */
const KIND_OF_CONDITION: Readonly<Record<Condition, AlertKind | null>> = {
  stopped: 'stopped',
  failing: 'failing',
  behind: 'behind',
  silent: 'silent',
  paused: null,
  starting: 'behind',
  well: null,
};

/**
 * Active sources that are not well, without those whose trouble is told otherwise. A source that waits for a look, a stream or a clock has
 * silent sensors all the same.
 */
export function unwellLines(lines: readonly SourceLine[], troubles: readonly Trouble[]): readonly SourceLine[] {
  const titles = (of: readonly Trouble[]) =>
    new Set(of.map(({ source, organisation }) => titleOf({ name: source, organisation })));
  const told = titles(troubles);
  const toldOfSilent = titles(
    troubles.filter(({ kind }) => kind !== 'clock' && kind !== 'looking' && kind !== 'waiting'),
  );
  return lines.filter(
    (line) =>
      KIND_OF_CONDITION[line.condition] !== null &&
      !(line.condition === 'silent' ? toldOfSilent : told).has(titleOf(line)),
  );
}

/**
 * The finding of a source that is not well; undefined where it is late by no more than `overdue` of the limits, or where its newest
 * reading is younger than their `silence`, or all its silent sensors are muted.
 */
export function unwellFinding(
  line: SourceLine,
  { now, limits }: { readonly now: Instant; readonly limits: Pick<AlertLimits, 'overdue' | 'silence'> },
): Judgement | undefined {
  const { condition, newestAt, silence: counts } = line;
  const kind = kindOfLine(line);
  if (kind === null) return undefined;
  if (kind === 'behind' && condition === 'behind' && (line.overdue ?? 0) <= (limits.overdue ?? 0)) return undefined;
  const { silence } = limits;
  if (kind === 'silent' && silence !== undefined && newestAt !== null && now - newestAt <= silence) return undefined;
  if (kind === 'silent' && counts !== null && counts.muted > 0 && counts.muted >= counts.silent) return undefined;
  return {
    check: `source ${titleOf(line)}`,
    state: 'warning',
    detail: line.allRefused === null ? unwellInWords(line) : allRefusedInWords(line.allRefused),
    remedy: `databridge source why ${argumentsOf(line)}`,
    kind,
    organisation: line.organisation,
    subject: line.name,
    source: line.name,
    cause: causeOfLine(line),
  };
}

function kindOfLine({ condition, allRefused, fault }: SourceLine): AlertKind | null {
  if (allRefused !== null) return 'refusals';
  return condition === 'failing' && fault?.code === 'contract-broken' ? 'contract' : KIND_OF_CONDITION[condition];
}

function unwellInWords({ condition, overdue, silence, fault }: SourceLine): string {
  if (condition === 'behind') return `late by more than ${roughly(passedStep(overdue ?? 0))}, without a fault`;
  if (condition === 'starting') return 'no poll has succeeded yet';
  if (condition === 'silent' && silence !== null) return silenceInWords(silence);
  return `is ${condition}${fault === null ? '' : `: ${short(fault.message, 160)}`}`;
}

/** What sources that are not well have in common. */
function causeOfLine({ allRefused, condition, fault, silence }: SourceLine): string {
  if (allRefused !== null) return `every point refused: ${allRefused}`;
  if (condition === 'behind') return 'late, without a fault';
  if (condition === 'starting') return 'no poll has succeeded yet';
  if (condition === 'silent')
    return silence?.never === silence?.sensors ? 'never any reading' : 'sensors without new readings';
  return fault === null ? condition : causeOfFault(fault);
}

/** By source, because the sums have no index by hour alone; first those with refused points, which are few. */
const REFUSED = `
  with refusing as materialized (
    select distinct source_id from window_sum where hour >= date_trunc('hour', now(), 'UTC') - interval '${HOURS_OF_REFUSALS} hours' and refused > 0)
  select organisation_id as organisation, name,
    exists (select from alert where kind = 'refusals' and alert.organisation = organisation_id and subject = name and ended_at is null and opened_at is not null) as "isTold",
    (select jsonb_agg(jsonb_build_object('age', age, 'points', points, 'refused', refused)) from (
      select (extract(epoch from date_trunc('hour', now(), 'UTC') - hour) / 3600)::int as age, sum(readings + refused) as points, sum(refused) as refused
      from window_sum where source_id = source.id and hour >= date_trunc('hour', now(), 'UTC') - interval '${HOURS_OF_REFUSALS} hours' group by hour) as sums) as hours
  from refusing join source on source.id = source_id
  where state = 'active' and ($1::text[] is null or organisation_id = any($1)) order by 1, 2`;

/**
 * A finding for each active source of whose points more than `share` are refused; see `refusedShare`. Of a source in `unwell` that is silent
 * any share counts, because refused points are the likely cause: its silence would else be told first and the refusals once they are enough.
 */
export async function refusalFindings(
  database: Database,
  share: number,
  {
    organisations,
    unwell = [],
  }: { readonly organisations?: readonly string[] | undefined; readonly unwell?: readonly Judgement[] } = {},
): Promise<Judgement[]> {
  const silent = new Set(unwell.filter(({ kind }) => kind === 'silent').map(keyOf));
  const rows = await database.rows<{ organisation: string; name: string; isTold: boolean; hours: HourOfPoints[] }>(
    REFUSED,
    [organisations ?? null],
  );
  return rows.flatMap(({ organisation, name, isTold, hours }): Judgement[] => {
    const isSilent = silent.has(keyOf({ organisation, subject: name }));
    const refused = refusedShare(hours, { share: isSilent ? 0 : share, isTold });
    if (refused === undefined) return [];
    return [
      {
        check: `source ${titleOf({ name, organisation })}`,
        state: 'warning',
        detail: `${shareInWords(refused)} of its points are refused`,
        remedy: `databridge source refusals ${argumentsOf({ name, organisation })}`,
        kind: 'refusals',
        organisation,
        subject: name,
        source: name,
        cause: 'many points refused',
      },
    ];
  });
}

const keyOf = ({ organisation, subject }: Pick<Judgement, 'organisation' | 'subject'>): string =>
  JSON.stringify([organisation, subject]);

/**
 * The findings of sources that are not well and of those with refused points, one for each source: the sensors whose points are refused are
 * silent, too. The finding of the refusals tells both then.
 */
export function toldOnce(unwell: readonly Judgement[], refusals: readonly Judgement[]): Judgement[] {
  const byKey = new Map(unwell.map((finding) => [keyOf(finding), finding]));
  const merged = refusals.flatMap((finding): Judgement[] => {
    const other = byKey.get(keyOf(finding));
    if (other?.kind === 'refusals') return [];
    return [other?.kind === 'silent' ? { ...finding, detail: `${finding.detail}; ${other.detail}` } : finding];
  });
  const refusing = new Set(merged.map(keyOf));
  return [...unwell.filter((finding) => finding.kind !== 'silent' || !refusing.has(keyOf(finding))), ...merged];
}
