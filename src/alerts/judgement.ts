import type { AlertKind, AlertTrouble } from '../core/alert.ts';
import type { AlertRules } from './rules.ts';

/** The result of one check. `failed` needs an operator now, `warning` later. */
export interface Check {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly remedy?: string;
}

/** A check by which `doctor` and the alerts judge alike, with the alert that it makes where it is not ok. */
export interface Judgement extends Check {
  readonly kind: AlertKind;
  readonly organisation: string | null;
  readonly subject: string;
  /** What it has in common with the findings of other subjects, in a few words; left out where it stands alone. */
  readonly cause?: string;
  /** The name of the source, where the subject is one or belongs to one. */
  readonly source?: string;
}

/** The name under which findings of the bridge itself stand. */
export const BRIDGE = 'bridge';

/** The trouble of a finding; undefined where all is well, or where the rules are silent about its kind. */
export function troubleOf(
  { state, kind, organisation, subject, detail, remedy }: Judgement,
  rules: AlertRules,
): AlertTrouble | undefined {
  if (state === 'ok' || rules.patienceOf(kind) === undefined) return undefined;
  const severity = rules.severityOf(kind) ?? (state === 'failed' ? 'critical' : 'warning');
  return { kind, organisation, subject, severity, what: detail, remedy: remedy ?? 'databridge doctor' };
}
