import { randomUUID } from 'node:crypto';
import { BEAT_MS, presenceOf } from '../database/presence.ts';
import { repeat } from '../database/repeat.ts';
import type { BridgeAtHand } from './registered.ts';

/** A bridge under a worker id of its own, which is present until `leave`. The leases of such work count while it is present. */
export interface CommandPresence {
  readonly bridge: BridgeAtHand;
  readonly leave: () => Promise<void>;
}

/**
 * Makes work that an operator asked for present beside the workers. It polls nothing. `version`: that of databridge. `kids`: the ids
 * of the sealing keys of this process, where the process is not present by itself.
 */
export async function commandPresence(
  { database, sealing, clock, registry }: Omit<BridgeAtHand, 'workerId'>,
  { version, kids }: { readonly version: string; readonly kids?: () => Promise<readonly string[]> },
): Promise<CommandPresence> {
  const workerId = randomUUID();
  const presence = presenceOf(
    database,
    workerId,
    version,
    kids === undefined ? { polls: false } : { polls: false, kids },
  );
  await presence.beat();
  const beats = repeat(
    BEAT_MS,
    () => presence.beat(),
    () => undefined,
  );
  return {
    bridge: { database, sealing, clock, registry, workerId },
    async leave() {
      await beats.stop();
      await presence.leave().catch(() => undefined);
    },
  };
}
