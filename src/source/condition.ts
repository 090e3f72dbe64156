import type { Condition } from '../core/condition.ts';
import { MINUTE } from '../core/instant.ts';
import type { SourceLine } from './report.ts';

type Judged = Pick<
  SourceLine,
  | 'state'
  | 'lag'
  | 'overdue'
  | 'every'
  | 'streams'
  | 'failures'
  | 'fault'
  | 'lookFault'
  | 'lastSuccessAt'
  | 'allRefused'
>;

/** A poll itself takes time, so a source is behind only where it is overdue by more than one interval and by a minute. */
export const isOverdue = ({ overdue, every }: Pick<Judged, 'overdue' | 'every'>): boolean =>
  (overdue ?? 0) > Math.max(MINUTE, every);

/**
 * One word for the state of a source. A wait for its own pace is no failure. A source whose points were all refused is failing,
 * because its time is covered without any reading.
 */
export function conditionOf(source: Judged): Condition {
  const { state, failures, fault, lookFault, streams } = source;
  if (state !== 'active') return state;
  if (failures > 0 || (fault !== null && fault.own !== true)) return 'failing';
  if (streams === 0) return lookFault === null ? 'starting' : 'failing';
  if (source.lastSuccessAt === null) return 'starting';
  if (source.allRefused !== null) return 'failing';
  return isOverdue(source) ? 'behind' : 'well';
}

/** Whether a source lacks readings that its schedule promised, for whatever reason. */
export const lacksTime = (source: Judged): boolean =>
  isOverdue(source) || (source.streams === 0 && ['failing', 'stopped'].includes(conditionOf(source)));

/** The sources that an operator asked for. */
export interface SourceChoice {
  readonly behind?: boolean | undefined;
  readonly condition?: Condition | undefined;
  readonly platform?: string | undefined;
  readonly project?: string | undefined;
  /** A part of the name, in capital letters or not. */
  readonly text?: string | undefined;
  /** `name`: the order of organisations and names; `lag`: the longest lag first; `requests`: the most requests in the last hour first. */
  readonly sort: 'name' | 'lag' | 'requests';
}

/** Filters and sorts sources; a source without streams has no lag and comes first among the longest. */
export function chosenOf<
  Line extends Judged &
    Pick<SourceLine, 'name' | 'project' | 'platform'> & { readonly requests: { readonly all: number } },
>(lines: readonly Line[], { behind, condition, platform, project, text = '', sort }: SourceChoice): readonly Line[] {
  const chosen = lines.filter(
    (line) =>
      (behind !== true || lacksTime(line)) &&
      (condition === undefined || conditionOf(line) === condition) &&
      (platform === undefined || line.platform === platform) &&
      (project === undefined || line.project === project) &&
      line.name.toLowerCase().includes(text.toLowerCase()),
  );
  if (sort === 'name') return chosen;
  if (sort === 'requests') return chosen.toSorted((one, other) => other.requests.all - one.requests.all);
  const far = ({ lag }: Line): number => lag ?? Infinity;
  return chosen.toSorted((one, other) => (far(one) === far(other) ? 0 : far(other) - far(one)));
}

/** How many of the sources are in each condition, the most frequent first; conditions without a source are left out. */
export function countConditions(lines: readonly Judged[]): readonly (readonly [condition: Condition, count: number])[] {
  const counts = new Map<Condition, number>();
  for (const line of lines) counts.set(conditionOf(line), (counts.get(conditionOf(line)) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}
