import type { Logger } from 'pino';
import { isDatabaseAway } from '../database/away.ts';
import { refreshFreshness } from '../source/freshness.ts';
import { repeat } from '../database/repeat.ts';
import { deliverAlerts } from './deliver.ts';
import { applyObserved, dropOldAlerts, restFor, takeTurn } from './evaluate.ts';
import { alertObserverOf } from './observe.ts';
import type { Observing } from './observe.ts';
import { watchedRules } from './rules.ts';
import type { AlertRules } from './rules.ts';
import { senderOf } from './target.ts';

const LOOK_MS = 2_000;
/** Sources whose sensors are looked at in a turn: with ten sensors each that takes a quarter of a second. */
const LOOKED_AT_ONCE = 1_000;
const SEND_MS = 1_000;
const HOUSEKEEPING_MS = 600_000;
/** A look rests for so many times as it took, so that thousands of sources cost at most a twentieth of one connection. */
const REST_TIMES = 20;
/** A rest that is shorter is over before the next look. */
const SHORT_MS = 10_000;

/**
 * Watches the bridge and tells the targets of the settings, in each process that runs for long; one of them looks at a time. Throws
 * `config-invalid` for a file of rules that has a fault.
 */
export async function watchAlerts(
  ground: Observing & { readonly workerId: string; readonly log: Logger; readonly clock: { now(): number } },
): Promise<{ stop(): Promise<void> }> {
  const { database, settings, workerId, log, clock } = ground;
  const rules = await watchedRules(settings.alerts, (error) => {
    log.error({ reason: (error as Error).message }, 'the file of alerts has a fault; the rules stay as they were');
  });
  const complain = (error: unknown): void => {
    // The poll path tells that the database is away.
    if (!isDatabaseAway(error)) log.error({ err: error }, 'alerts failed');
  };
  const observe = alertObserverOf(ground);
  const send = senderOf(settings);

  async function look(present: AlertRules): Promise<void> {
    const began = performance.now();
    const turn = await takeTurn(database);
    if (turn === undefined) return;
    await refreshFreshness(database, LOOKED_AT_ONCE).catch(complain);
    await applyObserved(database, turn, await observe(present), present);
    const rest = REST_TIMES * (performance.now() - began);
    if (rest > SHORT_MS) await restFor(database, rest);
  }
  const loops = [
    repeat(LOOK_MS, async () => look(await rules.present()), complain),
    repeat(
      SEND_MS,
      async () =>
        deliverAlerts({ database, workerId, log, send, now: () => clock.now() }, (await rules.present()).targets),
      complain,
    ),
    repeat(
      HOUSEKEEPING_MS,
      async () => {
        const targets = (await rules.present()).targets.map(({ name }) => name);
        await dropOldAlerts(database, { days: settings.logDays, targets });
      },
      complain,
    ),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
