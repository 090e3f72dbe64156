import type { ClientBase } from 'pg';
import { intersect, subtract } from '../core/coverage.ts';
import type { Coverage } from '../core/coverage.ts';
import type { Instant } from '../core/instant.ts';
import { furtherLook, oldestOf } from '../core/look-back.ts';
import type { LookBack } from '../core/look-back.ts';
import { edgeOf } from '../core/plan.ts';
import { unreadableTime } from '../core/unreadable.ts';
import type { Window } from '../core/window.ts';
import { rowsOf } from '../database/database.ts';
import { multirangeOf } from '../database/multirange.ts';
import type { Taken } from '../ingest/window-readings.ts';
import type { Bridge } from './bridge.ts';
import type { OpenSource, Stream } from './open/open-source.ts';
import { wakeHistories } from './work.ts';

/** How a stream looks for late data. */
export const lookBackOf = ({ policy, config }: OpenSource, { looksFrom }: Pick<Stream, 'looksFrom'>): LookBack => ({
  ...policy,
  looksFrom,
  lookBackAtMost: config.schedule.lookBackAtMost,
});

/** The looks that history asks for now: in covered time that can be read, up to the edge. */
export function looksToAsk(
  { policy }: OpenSource,
  { lookAgain, covered, unreadable }: Pick<Stream, 'lookAgain' | 'covered' | 'unreadable'>,
  now: Instant,
): Coverage {
  if (lookAgain.length === 0) return [];
  const settled = intersect(covered, { from: -Infinity, to: edgeOf(policy, now) });
  return subtract(
    lookAgain.flatMap((look) => intersect(settled, look)),
    unreadableTime(unreadable),
  );
}

/**
 * Looks further back where a window held new or revised readings in covered time beyond the overlap (core/look-back.ts). The
 * transaction that commits the window has to call it, because after that nothing would show that those readings were late.
 * Undefined where the window reaches into no such time.
 */
export function lookFurther(
  { clock }: Pick<Bridge, 'clock'>,
  source: OpenSource,
  { stream, window }: { readonly stream: Stream; readonly window: Window },
): ((client: ClientBase, taken: Taken) => Promise<void>) | undefined {
  const now = clock.now();
  const look = lookBackOf(source, stream);
  const isLate = (instant: Instant): boolean => 2 * (now - instant) > look.overlap;
  if (intersect(stream.covered, window).length === 0 || !isLate(window.from)) return undefined;
  const edge = edgeOf(source.policy, now);
  return async (client, { oldestNews: oldest, late, revised }) => {
    if (oldest === null || !isLate(oldest) || oldest < oldestOf(look)) return;
    const [row] = await rowsOf<{ reach: number; at: Instant | null }>(
      client,
      'select looked_back_us as reach, instant_of(looked_back_at) as at from stream where id = $1 for no key update',
      [stream.id],
    );
    if (row === undefined) return;
    const last = row.at === null ? undefined : { reach: row.reach, at: row.at };
    const further = furtherLook(look, { window, oldest, edge, now, last });
    const beyond = now - oldest > look.lookBackAtMost ? late + revised : 0;
    await client.query(
      'update stream set news_age_us = greatest(news_age_us, $2), news_beyond = news_beyond + $3 where id = $1',
      [stream.id, now - oldest, beyond],
    );
    if (further === undefined) return;
    await client.query(
      `update stream set look_again = look_again + $2::tstzmultirange, looks_noted = looks_noted + 1, looked_back_us = $3, looked_back_at = at_instant($4) where id = $1`,
      [stream.id, multirangeOf(further.time), further.reach, further.at],
    );
    await client.query(wakeHistories('from stream where id = $1'), [stream.id]);
  };
}
