import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Asks } from '../database/database.ts';

/** SQL: the row `ml_project` keeps readings from here on; all of them where it does not say. */
export const KEPT_FROM = `coalesce(ml_project.kept_from, '-infinity')`;

/** The first instant from which on the readings of a project are kept; undefined: all are. What lies before is not to be seen. */
export async function keptFrom(database: Asks, projectId: number): Promise<Instant | undefined> {
  const [row] = await database.rows<{ from: Instant | null }>(
    'select instant_of(kept_from) as from from ml_project where id = $1',
    [projectId],
  );
  return row?.from ?? undefined;
}

/** The part of a range that is kept; it may be empty, with its begin at its end. */
export const keptPart = ({ from, to }: Window, kept: Instant | undefined): Window => ({
  from: Math.min(to, Math.max(from, kept ?? from)),
  to,
});
