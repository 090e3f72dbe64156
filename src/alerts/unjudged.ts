import type { AlertKind, AlertTrouble } from '../core/alert.ts';
import type { Condition } from '../core/condition.ts';
import { DAY } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import type { SourceLine } from '../source/report.ts';
import type { Judgement } from './judgement.ts';

/**
 * The conditions of a source in which nobody can tell whether a trouble of a kind is still there: a platform that does not answer gives no
 * reading and refuses no point. A source that is paused or removed is judged: an operator wanted nothing more of it.
 */
const UNJUDGED_IN: Readonly<Partial<Record<AlertKind, readonly Condition[]>>> = {
  silent: ['stopped', 'failing', 'behind', 'starting'],
  refusals: ['stopped', 'failing', 'behind', 'starting'],
  behind: ['stopped', 'failing'],
};

/** An alert of silence goes on for so long while sensors cannot be heard: time that cannot be read may be so for ever. */
const UNHEARD: Microseconds = DAY;

/** Kinds of one trouble that goes on where one of them takes the place of another. */
const FAULTS: readonly AlertKind[] = ['stopped', 'failing', 'contract'];

interface Judged {
  /** All sources that are not well. */
  readonly lines: readonly Pick<SourceLine, 'name' | 'organisation' | 'condition'>[];
  readonly findings: readonly Pick<Judgement, 'kind' | 'organisation' | 'subject' | 'source'>[];
  /** Titles of sources with sensors of which no look can say whether they are silent. */
  readonly unheard: ReadonlySet<string>;
}

/**
 * Tells of an alert without a trouble for how long it goes on, µs, because its subject cannot be judged now and is not well again for all that
 * is known; 0 where it is judged. The fault of a source goes on while a stream of it has one, and that of a stream while its source has one,
 * because a fault of all streams is told of the source (`toldTroubles`).
 */
export function unjudgedOf({ lines, findings, unheard }: Judged) {
  const conditions = new Map(lines.map((line) => [titleOf(line), line.condition]));
  const faulty = findings.filter(({ kind }) => FAULTS.includes(kind));
  const subjects = new Set(faulty.map(({ organisation, subject }) => JSON.stringify([organisation, subject])));
  const sources = new Set(faulty.map(({ organisation, source }) => JSON.stringify([organisation, source])));
  return ({ kind, organisation, subject }: Pick<AlertTrouble, 'kind' | 'organisation' | 'subject'>): Microseconds => {
    if (organisation === null) return 0;
    // The subject of a stream begins with the name of its source, which holds no space.
    const [name = ''] = subject.split(' ');
    const title = titleOf({ name, organisation });
    const condition = conditions.get(title);
    if (kind === 'failing' || kind === 'contract') {
      const isFaulty = [subject, name].some((one) => subjects.has(JSON.stringify([organisation, one])));
      return isFaulty || sources.has(JSON.stringify([organisation, subject])) ? Infinity : 0;
    }
    if (condition !== undefined && UNJUDGED_IN[kind]?.includes(condition) === true) return Infinity;
    return kind === 'silent' && unheard.has(title) ? UNHEARD : 0;
  };
}

/** Of the active sources with an alert of silence, the titles of those that have time which was not asked yet, or is asked for once more. */
export async function unheardSources(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.rows<{ name: string; organisation: string }>(
    `select source.name, source.organisation_id as organisation
     from alert join source on source.organisation_id = alert.organisation and source.name = alert.subject
     join freshness on source_id = source.id
     where alert.kind = 'silent' and ended_at is null and source.state = 'active' and exists (
       select from jsonb_each(known) as each (sensor, of) where of ->> 3 = 'false' or of #>> '{4,2}' = 'false')`,
  );
  return new Set(rows.map(titleOf));
}
