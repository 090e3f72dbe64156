import { DAY, HOUR, MINUTE } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

/** The kinds of trouble that an operator is told of, each with its meaning, and how long it lasts before it is an alert. */
export const ALERT_KINDS = {
  stopped: { meaning: 'a source or a delivery waits for an operator, mostly for new credentials', lasting: 0 },
  failing: { meaning: 'polls, a stream or the look for sensors of a source fail', lasting: 15 * MINUTE },
  contract: { meaning: 'the answers of a platform are not as its adapter knows them', lasting: 15 * MINUTE },
  behind: { meaning: 'a source is later than its own schedule, without a fault', lasting: 10 * MINUTE },
  silent: {
    meaning: 'a source is polled in time, and sensors of it give no readings as they usually do',
    lasting: 5 * MINUTE,
  },
  refusals: { meaning: 'many of the points of a source are refused', lasting: 10 * MINUTE },
  names: { meaning: 'a project gets many new names, or names are held back', lasting: 0 },
  outbox: { meaning: 'readings wait for a delivery', lasting: 5 * MINUTE },
  disk: { meaning: 'the disk of a host is nearly full', lasting: MINUTE },
  key: { meaning: 'stored secrets cannot be opened, or wait for a rotation', lasting: MINUTE },
  planner: { meaning: 'nothing plans or polls', lasting: 2 * MINUTE },
  clock: { meaning: 'the clock of a host or of a platform is wrong', lasting: 2 * MINUTE },
  backup: { meaning: 'the newest backup is too old', lasting: 0 },
  settings: { meaning: 'processes of the bridge have different settings', lasting: 2 * MINUTE },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly lasting: Microseconds }>>;

export type AlertKind = keyof typeof ALERT_KINDS;
export const KINDS_OF_ALERTS = Object.keys(ALERT_KINDS) as [AlertKind, ...AlertKind[]];

export const SEVERITIES = ['warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A trouble that is there now. */
export interface AlertTrouble {
  readonly kind: AlertKind;
  /** Null: of the bridge as a whole. */
  readonly organisation: string | null;
  /** The name of a source, a source and its stream, the code of a project, a host, or `bridge`. */
  readonly subject: string;
  readonly severity: Severity;
  /** One sentence. Where it names a figure that grows, the figure is rough, because each change is a write. */
  readonly what: string;
  readonly remedy: string;
}

/** A row of `alert` that has not ended. */
export interface AlertRow extends AlertTrouble {
  /** Null before the row is stored. */
  readonly id: number | null;
  readonly since: Instant;
  /** Null while the trouble has not lasted long enough. */
  readonly openedAt: Instant | null;
  readonly goneAt: Instant | null;
  readonly returns: number;
  readonly earlier: number;
}

/** How long a trouble of a kind lasts before it is an alert, and how long it is away before the alert ends. */
export interface AlertPatience {
  readonly lasting: Microseconds;
  readonly away: Microseconds;
}

/** The rows to write after an evaluation. Rows that stay as they are are left out. */
export interface AlertChanges {
  readonly begun: readonly AlertRow[];
  readonly changed: readonly AlertRow[];
  readonly ended: readonly AlertRow[];
  /** Troubles that went away before they were alerts. */
  readonly dropped: readonly AlertRow[];
}

/** A trouble that is no alert yet may be away for so long and still counts as lasting. */
const BLINK: Microseconds = MINUTE;
/** The wait for the end doubles with each alert of its kind and subject of the day before, up to so often: a trouble that flaps tells less and less. */
const MOST_DOUBLINGS = 6;

export const alertKeyOf = ({
  kind,
  organisation,
  subject,
}: Pick<AlertTrouble, 'kind' | 'organisation' | 'subject'>): string => JSON.stringify([kind, organisation, subject]);

/**
 * What an evaluation at `now` makes of the rows that have not ended. `patienceOf` is undefined for kinds that are switched off; their rows
 * end. Alerts of the kinds in `unknown` stay. A row without a trouble goes on for as long as `unjudgedFor` tells (0: it is judged), because
 * nobody can tell now whether its trouble is there: faults that take turns are one trouble, which lasts. `earlier`: by key, the alerts that
 * ended in the last day.
 */
export function stepAlerts(
  rows: readonly AlertRow[],
  troubles: readonly AlertTrouble[],
  {
    now,
    patienceOf,
    unknown,
    unjudgedFor = () => 0,
    earlier,
  }: {
    readonly now: Instant;
    readonly patienceOf: (kind: AlertKind) => AlertPatience | undefined;
    readonly unknown: ReadonlySet<AlertKind>;
    /** µs; Infinity: the row stays as it is. */
    readonly unjudgedFor?: (row: AlertRow) => Microseconds;
    readonly earlier: ReadonlyMap<string, number>;
  },
): AlertChanges {
  const present = worstByKey(troubles.filter(({ kind }) => patienceOf(kind) !== undefined && !unknown.has(kind)));
  const changes = {
    begun: [] as AlertRow[],
    changed: [] as AlertRow[],
    ended: [] as AlertRow[],
    dropped: [] as AlertRow[],
  };
  for (const row of rows) {
    const key = alertKeyOf(row);
    const trouble = present.get(key);
    present.delete(key);
    const patience = patienceOf(row.kind);
    if (patience === undefined) (row.openedAt === null ? changes.dropped : changes.ended).push(row);
    else if (unknown.has(row.kind)) {
      if (row.openedAt === null) changes.dropped.push(row);
    } else if (trouble === undefined) {
      const least = unjudgedFor(row);
      if (least < Infinity) absent(row, { ...patience, least }, now, changes);
    } else {
      const next = lastingOn(row, trouble, patience, now);
      if (isChanged(row, next)) changes.changed.push(next);
    }
  }
  for (const [key, trouble] of present) {
    const opened = patienceOf(trouble.kind)?.lasting === 0 ? now : null;
    changes.begun.push({
      ...trouble,
      id: null,
      since: now,
      openedAt: opened,
      goneAt: null,
      returns: 0,
      earlier: earlier.get(key) ?? 0,
    });
  }
  return changes;
}

function worstByKey(troubles: readonly AlertTrouble[]): Map<string, AlertTrouble> {
  const worst = new Map<string, AlertTrouble>();
  for (const trouble of troubles) {
    const key = alertKeyOf(trouble);
    const known = worst.get(key);
    if (known === undefined || (known.severity === 'warning' && trouble.severity === 'critical'))
      worst.set(key, trouble);
  }
  return worst;
}

function absent(
  row: AlertRow,
  { away, least }: AlertPatience & { readonly least: Microseconds },
  now: Instant,
  changes: { changed: AlertRow[]; ended: AlertRow[]; dropped: AlertRow[] },
): void {
  if (row.goneAt === null) {
    changes.changed.push({ ...row, goneAt: now });
    return;
  }
  const gone = now - row.goneAt;
  if (row.openedAt === null) {
    if (gone >= Math.max(BLINK, least)) changes.dropped.push(row);
  } else if (gone >= Math.max(least, away * 2 ** Math.min(row.earlier, MOST_DOUBLINGS))) changes.ended.push(row);
}

function lastingOn(row: AlertRow, trouble: AlertTrouble, { lasting }: AlertPatience, now: Instant): AlertRow {
  return {
    ...row,
    ...trouble,
    openedAt: row.openedAt ?? (now - row.since >= lasting ? now : null),
    goneAt: null,
    returns: row.returns + (row.goneAt === null ? 0 : 1),
  };
}

const isChanged = (row: AlertRow, next: AlertRow): boolean =>
  row.severity !== next.severity ||
  row.what !== next.what ||
  row.remedy !== next.remedy ||
  row.openedAt !== next.openedAt ||
  row.goneAt !== next.goneAt;

/** A length of time as a step that it has passed, so that a text which tells it changes rarely. */
export function passedStep(length: Microseconds): Microseconds {
  const steps = [
    30 * DAY,
    7 * DAY,
    3 * DAY,
    DAY,
    12 * HOUR,
    6 * HOUR,
    3 * HOUR,
    HOUR,
    30 * MINUTE,
    10 * MINUTE,
    5 * MINUTE,
  ];
  return steps.find((step) => length >= step) ?? MINUTE;
}
