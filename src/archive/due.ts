import { asBridgeError } from '../core/errors.ts';
import { DAY } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { sweep } from './keep.ts';
import { archiveOf } from './manifest.ts';
import { holdArchive } from './place.ts';
import { moveDay } from './move.ts';
import type { Moved } from './move.ts';

/** A day that has readings to be moved. */
export interface DueDay {
  readonly projectId: number;
  /** The code of the project. */
  readonly project: string;
  /** Its begin, UTC. */
  readonly day: Instant;
}

/** The instant before which a day ended that is due at `now`: the begin of a day. */
export const dueBefore = (now: Instant, after: number): Instant => Math.floor((now - after) / DAY) * DAY;

/**
 * The first day from `from` on of which some series has a row besides its newest one. Each look is one step in the key (series, at).
 * Days end before `before`.
 */
async function firstDay(
  database: Database,
  projectId: number,
  { from, before }: { readonly from: Instant | undefined; readonly before: Instant },
): Promise<Instant | undefined> {
  const row = await database.row<{ at: Instant | null }>(
    `select instant_of(min(first.at)) as at from series
     cross join lateral (
       select at from reading where series = series.id and at >= coalesce(at_instant($2::bigint), '-infinity') and at < at_instant($3::bigint) order by at limit 1) as first
     where project_id = $1 and exists (select from reading where series = series.id and at > first.at)`,
    [projectId, from ?? null, before],
  );
  return row === undefined || row.at === null ? undefined : Math.floor(row.at / DAY) * DAY;
}

/** What is moved: days that end before `before`, of one project or of all. */
export interface MovesAsked {
  readonly before: Instant;
  readonly projectId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A fault of one day, such as a file that is missing, holds up no other; a full disk is found out soon. */
const MOST_FAILURES = 20;

/**
 * Moves all days that are due, the oldest of each project first, and tells each. What was moved stays moved; after days that failed it
 * throws the first error.
 */
export async function* moveDue(
  database: Database,
  { before, projectId, signal }: MovesAsked,
): AsyncGenerator<DueDay & { readonly moved: Moved }> {
  await holdArchive(database);
  const projects = await database.rows<{ id: number; code: string }>(
    'select id, code from ml_project where $1::int is null or id = $1 order by id',
    [projectId ?? null],
  );
  const failures: unknown[] = [];
  for (const { id, code } of projects) {
    let from: Instant | undefined;
    for (;;) {
      if (signal?.aborted === true) return;
      const day = await firstDay(database, id, { from, before });
      if (day === undefined) break;
      from = day + DAY;
      let moved: Moved;
      try {
        moved = await moveDay(database, { projectId: id, day }, { signal });
      } catch (error) {
        failures.push(error);
        if (asBridgeError(error).code === 'cancelled' || failures.length >= MOST_FAILURES) throw failures[0];
        continue;
      }
      yield { projectId: id, project: code, day, moved };
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** What a daemon does about the archive now and then: it moves the days that are due at `now`, and removes files that nobody needs. */
export async function* archiveDue(
  database: Database,
  now: Instant,
  signal: AbortSignal,
): AsyncGenerator<DueDay & { readonly moved: Moved }> {
  const { after } = archiveOf(database, 1);
  try {
    for await (const one of moveDue(database, { before: dueBefore(now, after), signal })) {
      // Another process is at it.
      if (one.moved.outcome === 'busy') return;
      yield one;
    }
    await sweep(database);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
