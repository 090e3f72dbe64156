import { CONDITIONS } from '../core/condition.ts';
import type { Condition } from '../core/condition.ts';
import { ALL_REFUSED } from './all-refused.ts';

/** Which sources a statement judges, as conditions on SQL. */
interface Scope {
  /** On a row of `source`. */
  readonly source?: string;
  /** On the column with the id of a source, so that nothing of other sources is read. */
  readonly id?: (column: string) => string;
}

/** A poll itself takes time, so a source is behind only where it is overdue by more than one interval and by a minute. */
const IS_OVERDUE = `coalesce(overdue > greatest(interval '1 minute', every), false)`;

/**
 * One word for the state of a source. A wait for its own pace is no failure. A source whose points were all refused is failing, because
 * its time is covered without any reading; one with a sensor that is silent by the rule of core/freshness.ts is not well either.
 */
const CONDITION = `case
  when state <> 'active' then state
  when failures > 0 or has_fault then 'failing'
  when streams = 0 then case when has_look_fault then 'failing' else 'starting' end
  when not has_succeeded then 'starting'
  when is_refused then 'failing'
  when ${IS_OVERDUE} then 'behind'
  when is_silent then 'silent'
  else 'well' end`;

/** Whether a source lacks readings that its schedule promised, for whatever reason. */
const LACKS_TIME = `(is_overdue or (streams = 0 and condition in ('failing', 'stopped')))`;

/** SQL: facts of sources as the columns `state`, `failures`, … of `facts` → the same with `condition`, `is_overdue` and `lacks_time`. */
export const judgedFacts = (facts: string): string => `
  select *, ${LACKS_TIME} as lacks_time from (select *, ${CONDITION} as condition, ${IS_OVERDUE} as is_overdue from (${facts}) as facts) as judged`;

/**
 * SQL: sources with the facts that decide about their conditions, and these. It reads each table once, so it judges ten thousand sources
 * in one go. `reached`: up to where its furthest stream is covered; null without streams. `overdue`: its lag beyond `every` and
 * `settle`, which every source has just before its next poll; negative where it is in time. Silence is judged by the coverage of the last look.
 */
export const judgedSources = ({ source = 'true', id = () => 'true' }: Scope = {}): string =>
  judgedFacts(`
    select source.id, source.name, source.organisation_id as organisation, source.project_id, source.platform, source.state, source.failures,
      source.last_fault is not null and source.last_fault -> 'own' is distinct from 'true' as has_fault, source.look_fault is not null as has_look_fault,
      poll.well_at is not null as has_succeeded, length.every, length.settle, coalesce(reach.streams, 0) as streams, reached,
      now() - reached - length.every - length.settle as overdue,
      case when refusing.source_id is null then false else ${ALL_REFUSED} is not null end as is_refused,
      coalesce(least(reached, looked_at) > silent_from, false) as is_silent
    from source left join freshness on freshness.source_id = source.id
    cross join lateral (select every_us * interval '1 microsecond' as every, settle_us * interval '1 microsecond' as settle) as length
    left join work as poll on poll.kind = 'poll' and poll.id = source.id
    left join (
      select source_id, count(*) as streams, min(upper(covered)) as least, bool_or(isempty(covered)) as has_empty
      from stream where retired_at is null and ${id('source_id')} group by source_id) as reach on reach.source_id = source.id
    left join (
      select distinct source_id from window_sum
      where refused > 0 and hour > now() - interval '24 hours' and ${id('source_id')}) as refusing on refusing.source_id = source.id
    cross join lateral (
      select least(reach.least, case when reach.has_empty then start_at end) as reached) as reached
    where ${source} and ${id('source.id')}`);

/** SQL: a rank of the column `condition`, the worst first. */
export const SEVERITY = `array_position(array[${Object.keys(CONDITIONS)
  .map((condition) => `'${condition}'`)
  .join(', ')}], condition)`;

/** How many sources are in each condition; those without a source are left out. */
export type ConditionCounts = Readonly<Partial<Record<Condition, number>>>;
