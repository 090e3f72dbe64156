import { asBridgeError } from '../core/errors.ts';
import { DAY } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
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
  /** Asked after each day: false ends the run. */
  readonly goesOn?: (moved: Moved) => boolean;
  /** The days that failed in earlier runs; this run corrects it. They are tried behind all others, so none waits for them for ever. */
  readonly failed?: Map<string, DueDay>;
}

/** A fault of one day, such as a file that is missing, holds up no other; so many in a row are one of all, such as a full disk. */
const MOST_FAILURES = 20;

/**
 * Moves all days that are due, the oldest of each project first, and tells each. What was moved stays moved; after days that failed it
 * throws the first error.
 */
export async function* moveDue(
  database: Database,
  { signal, failed = new Map<string, DueDay>(), ...asked }: MovesAsked,
): AsyncGenerator<DueDay & { readonly moved: Moved }> {
  await holdArchive(database);
  const failures: unknown[] = [];
  let inARow = 0;
  for await (const due of daysDue(database, asked, new Map(failed))) {
    if (signal?.aborted === true) return;
    let moved: Moved;
    try {
      moved = await moveDay(database, due, { signal });
    } catch (error) {
      failures.push(error);
      if (asBridgeError(error).code === 'cancelled') throw failures[0];
      failed.set(keyOf(due), due);
      inARow += 1;
      if (inARow >= MOST_FAILURES) throw failures[0];
      continue;
    }
    inARow = 0;
    failed.delete(keyOf(due));
    yield { ...due, moved };
  }
  if (failures.length > 0) throw failures[0];
}

const keyOf = ({ projectId, day }: DueDay): string => `${projectId} ${day}`;

/** The days that are due, those of `behind` behind all others. */
async function* daysDue(
  database: Database,
  { before, projectId }: Pick<MovesAsked, 'before' | 'projectId'>,
  behind: ReadonlyMap<string, DueDay>,
): AsyncGenerator<DueDay> {
  const projects = await database.rows<{ id: number; code: string; kept: Instant | null }>(
    'select id, code, instant_of(kept_from) as kept from ml_project where $1::int is null or id = $1 order by id',
    [projectId ?? null],
  );
  for (const { id, code, kept } of projects) {
    // Readings before are removed, and not moved.
    let from = kept ?? undefined;
    for (;;) {
      const day = await firstDay(database, id, { from, before });
      if (day === undefined) break;
      from = day + DAY;
      const due = { projectId: id, project: code, day };
      if (!behind.has(keyOf(due))) yield due;
    }
  }
  const kept = new Map(projects.map((one) => [one.id, one.kept ?? -Infinity]));
  for (const due of behind.values()) if (due.day >= (kept.get(due.projectId) ?? -Infinity)) yield due;
}

/** Removes files that nobody needs, and moves the days that are due. A fault of the one does not keep the other from its work. */
export async function* sweepAndMove(
  database: Database,
  asked: MovesAsked,
): AsyncGenerator<DueDay & { readonly moved: Moved }> {
  let fault: unknown;
  await sweep(database).catch((error: unknown) => (fault = error));
  for await (const one of moveDue(database, asked)) {
    yield one;
    if (asked.goesOn?.(one.moved) === false) break;
  }
  // Also where the run ends early.
  if (fault !== undefined) throw fault;
}

/**
 * What a daemon does about the archive now and then, see `sweepAndMove`. `failed` is kept from one time to the next. Nothing while the
 * clocks of the host and the database disagree, because one of them takes days for settled that are not.
 */
export async function* archiveDue(
  database: Database,
  { now, disagreement }: Pick<SharedClock, 'now' | 'disagreement'>,
  { signal, failed }: { readonly signal: AbortSignal; readonly failed: Map<string, DueDay> },
): AsyncGenerator<DueDay & { readonly moved: Moved }> {
  if (disagreement() !== undefined) return;
  const { after } = archiveOf(database, 1);
  try {
    // Where a day is busy, another process is at it.
    const goesOn = ({ outcome }: Moved): boolean => outcome !== 'busy' && disagreement() === undefined;
    for await (const one of sweepAndMove(database, { before: dueBefore(now(), after), signal, failed, goesOn }))
      if (one.moved.outcome !== 'busy') yield one;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
