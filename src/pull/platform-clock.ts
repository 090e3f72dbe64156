import { clockToTell, clockTrouble } from '../core/platform-clock.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { Bridge } from './bridge.ts';
import type { Claimed } from './claim.ts';
import type { OpenSource } from './open/open-source.ts';

/**
 * Tells of a platform whose clock is off, and takes it back where the clock is right again. The source is polled on. The row
 * of the source holds the verdict, so all processes share it; it is written only where the verdict changes.
 */
export async function notePlatformClock(
  { database, log }: Bridge,
  source: OpenSource,
  { clock_ahead: told }: Pick<Claimed, 'clock_ahead'>,
): Promise<void> {
  const ahead = clockToTell(source.connection.clock.take(), told);
  if (ahead === told) return;
  await database.run('update source set clock_ahead_us = $3 where id = $1 and edition = $2', [
    source.id,
    source.edition,
    ahead,
  ]);
  const context = { source: titleOf(source) };
  if (ahead === null) return log.info(context, "the platform's clock agrees with ours again");
  const { message, remedy } = clockTrouble(ahead, source.policy.settle);
  log.warn({ ...context, remedy }, message);
}
