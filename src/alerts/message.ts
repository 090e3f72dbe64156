import type { AlertKind, Severity } from '../core/alert.ts';
import { counted } from '../core/counted.ts';
import { SECOND, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { titleOf } from '../core/source/source-name.ts';
import { roughly, short, times } from '../terminal/words.ts';

/** A change of an alert, as a target is told it. */
export interface ToldAlert {
  readonly id: number;
  readonly change: 'opened' | 'worse' | 'ended';
  readonly kind: AlertKind;
  readonly organisation: string | null;
  readonly subject: string;
  readonly severity: Severity;
  readonly what: string;
  readonly remedy: string;
  readonly since: Instant;
  readonly openedAt: Instant;
  readonly endedAt: Instant | null;
  readonly returns: number;
  readonly earlier: number;
  readonly owner: string | null;
}

/** What a target gets: many changes, however many there are, in one message. */
export interface AlertMessage {
  /** Names the message: one that is sent again, because nobody knows whether it arrived, has the same. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** The changes as JSON documents, at most `MOST_LISTED`, and how many were left out. */
  readonly alerts: readonly Record<string, unknown>[];
  readonly more: number;
  readonly opened: number;
  readonly ended: number;
}

/** A list of changes ends here; `databridge alerts list` and the operator API have all of them. */
const MOST_LISTED = 100;
/** More alerts of one kind stand in one line. */
const MOST_APART = 3;
const NAMES_CHARACTERS = 200;

/** One message for these changes, the worst first. */
export function alertMessageOf(id: string, changes: readonly ToldAlert[]): AlertMessage {
  const sorted = changes.toSorted((one, other) => rank(one) - rank(other) || one.id - other.id);
  const begun = sorted.filter(({ change }) => change !== 'ended');
  const ended = sorted.filter(({ change }) => change === 'ended');
  return {
    id,
    title: `databridge: ${[summary(begun), ended.length === 0 ? '' : `ended: ${summary(ended)}`].filter(Boolean).join('; ')}`,
    text: [...linesOf(begun), ...linesOf(ended)].join('\n'),
    alerts: sorted.slice(0, MOST_LISTED).map(changeDocument),
    more: Math.max(0, sorted.length - MOST_LISTED),
    opened: begun.length,
    ended: ended.length,
  };
}

const rank = ({ change, severity }: ToldAlert): number => (change === 'ended' ? 2 : severity === 'critical' ? 0 : 1);

/** An alert by its subject, with its organisation in front unless that is the default one. */
export const subjectOf = ({ organisation, subject }: Pick<ToldAlert, 'organisation' | 'subject'>): string =>
  organisation === null ? subject : titleOf({ name: subject, organisation });

const byKind = (changes: readonly ToldAlert[]): readonly (readonly ToldAlert[])[] => [
  ...Map.groupBy(changes, ({ kind, severity }) => `${severity} ${kind}`).values(),
];

/** `hall-3 stopped, 40 behind`. */
const summary = (changes: readonly ToldAlert[]): string =>
  short(
    byKind(changes)
      .map((group) => {
        const [first] = group as [ToldAlert];
        return group.length === 1 ? `${subjectOf(first)} ${first.kind}` : `${group.length} ${first.kind}`;
      })
      .join(', '),
    160,
  );

const linesOf = (changes: readonly ToldAlert[]): string[] =>
  byKind(changes).flatMap((group) => (group.length <= MOST_APART ? group.flatMap(linesOfOne) : linesOfMany(group)));

function linesOfOne(told: ToldAlert): string[] {
  const { change, kind, severity, what, remedy, since, endedAt, returns, earlier } = told;
  const flaps = returns === 0 ? '' : `; it came back ${times(returns)} meanwhile`;
  const before = earlier === 0 ? '' : `; ${counted(earlier, 'alert')} like it in the day before`;
  if (change === 'ended') {
    const length = endedAt === null ? '' : ` after ${roughly(endedAt - since)}`;
    return [`ENDED ${kind}: ${subjectOf(told)}${length}${flaps}`];
  }
  const word = change === 'worse' ? 'NOW CRITICAL' : severity.toUpperCase();
  return [
    `${word} ${kind}: ${subjectOf(told)}: ${what} (since ${formatInstant(Math.floor(since / SECOND) * SECOND)}${flaps}${before})`,
    `  try: ${remedy}`,
  ];
}

function linesOfMany(group: readonly ToldAlert[]): string[] {
  const [{ change, kind, severity }] = group as [ToldAlert];
  const names = short(group.map(subjectOf).join(', '), NAMES_CHARACTERS);
  if (change === 'ended') return [`ENDED ${kind}: ${group.length}: ${names}`];
  return [
    `${severity.toUpperCase()} ${kind}: ${group.length}: ${names}`,
    `  try: databridge alerts list --kind ${kind}`,
  ];
}

const changeDocument = (told: ToldAlert): Record<string, unknown> => {
  const { id, change, kind, organisation, subject, severity, what, remedy, returns, earlier, owner } = told;
  return {
    id,
    change,
    kind,
    organisation,
    subject,
    severity,
    what,
    remedy,
    since: formatInstant(told.since),
    openedAt: formatInstant(told.openedAt),
    endedAt: instantOrNull(told.endedAt),
    returns,
    earlier,
    owner,
  };
};
