import { asBridgeError } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import type { Platform } from '../platform/contract.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../platform/connection/index.ts';
import type { Pacer } from '../platform/connection/index.ts';
import { USER_AGENT } from '../pull/open/open-source.ts';
import type { TrialParts } from './trial.ts';
import { localPacer } from './local-pacer.ts';

/** An operator waits for each platform that is tried. */
const LONGEST_MS = 5_000;

const PACE = { requestsPerSecond: 2, burst: 1, concurrency: 1, quietHours: [] };

/**
 * The platforms that say of themselves that they answer at an address. Nothing is signed. `trouble` is the reason why the address
 * gave no answer at all.
 */
export async function platformsAt(
  url: string,
  platforms: readonly Platform[],
  given: TrialParts,
  pacer: Pacer = localPacer({ pace: PACE, now: given.now }),
): Promise<{ readonly found: readonly Platform[]; readonly trouble: BridgeError | undefined }> {
  const { now, allowHosts, proxy } = given;
  const found: Platform[] = [];
  let trouble: BridgeError | undefined;
  for (const platform of platforms) {
    if (platform.recognise === undefined) continue;
    // One connection each, because one that was answered 401 sends nothing more.
    const connection = openConnection(
      { baseUrl: url, credentials: {}, authorisation: { sign: () => ({}) }, allowHosts, proxy },
      { pacer, tokens: memoryTokens(), account: memoryAccount(), now, userAgent: USER_AGENT },
    );
    const signal = AbortSignal.any([given.signal, AbortSignal.timeout(LONGEST_MS)]);
    try {
      const http = connection.http({ lane: 'live', signal, meter: newMeter() });
      if (await platform.recognise(http)) found.push(platform);
    } catch (error) {
      const { fault } = asBridgeError(error);
      if (fault.code === 'unavailable' || fault.code === 'config-invalid') trouble = asBridgeError(error);
    } finally {
      await connection.close();
    }
  }
  given.signal.throwIfAborted();
  return { found, trouble };
}
