import { DAY } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { trimProjects } from '../../src/upkeep/retention.ts';
import type { Trimmed } from '../../src/upkeep/retention.ts';
import { setHold, setKeep } from '../../src/source/project-keep.ts';
import { write } from './archive-ground.ts';
import type { Point } from './archive-ground.ts';

/** The project of `archiveGround`. */
export const PROJECT = { organisation: 'default', code: 'project' };

/** Keeps readings from an instant on, as the begin of a day. A plant that lives gave a reading just now. */
export async function keepFrom(database: Database, bound: Instant): Promise<void> {
  const row = await database.row<{ days: number }>(
    `select ((instant_of(date_trunc('day', now(), 'UTC')) - $1) / ${DAY})::int as days`,
    [bound],
  );
  const alive = { sensor: 'alive', at: Date.now() * 1000, value: 0, precision: undefined, labels: [] };
  await write(database, (await database.row<{ id: number }>('select id from ml_project'))?.id ?? 0, [alive]);
  await setKeep(database, PROJECT, { keep: `${row?.days ?? 0}d`, dryRun: false, actor: 'test' });
}

/** One run, or its first steps. */
export async function trim(database: Database, most = Infinity): Promise<Trimmed['outcome'][]> {
  const outcomes: Trimmed['outcome'][] = [];
  for await (const { outcome } of trimProjects(database)) {
    outcomes.push(outcome);
    if (outcomes.length >= most) break;
  }
  return outcomes;
}

/** Puts the project on hold, or ends that. */
export const holds = (database: Database, reason: string | undefined) =>
  setHold(database, PROJECT, { reason, actor: 'test' });

/** What is left of the truth from a bound on. */
export const from = (model: ReadonlyMap<string, Point>, bound: Instant): Map<string, Point> =>
  new Map([...model].filter(([, { at }]) => at >= bound));

/** Readings before the bound that are still somewhere: rows, and files that count. */
export const leftBefore = (database: Database, bound: Instant) =>
  database.row(
    `select (select count(*)::int from reading where at < at_instant($1)) as rows,
       (select count(*)::int from archived_day where replaced_at is null and day < (at_instant($1) at time zone 'UTC')::date) as files`,
    [bound],
  );
