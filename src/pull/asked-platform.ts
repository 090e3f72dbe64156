import type { BridgeError } from '../core/errors.ts';
import { questionFor } from '../core/question.ts';
import { localWindows } from '../core/zone.ts';
import type { Zone } from '../core/zone.ts';
import type { Platform } from '../platform/contract.ts';

/** A platform as the poll path asks it for one source: `asAsked`, with errors that `cleanError` made fit to be told. */
export const askedPlatform = (
  platform: Platform,
  given: { readonly zone: Zone | undefined; readonly cleanError: (error: unknown) => BridgeError },
): Platform => withCleanErrors(asAsked(platform, given.zone), given.cleanError);

/**
 * The platform is asked for windows in a form that it answers completely (core/question.ts), and for local times where `zone`
 * is known; the normaliser drops what is too much and turns local times into instants.
 */
function asAsked(platform: Platform, zone: Zone | undefined): Platform {
  return {
    ...platform,
    async *read(http, options, selection, window) {
      for (const part of zone === undefined ? [window] : localWindows(zone, window)) {
        yield* platform.read(http, options, selection, questionFor(part, platform.facts));
      }
    },
  };
}

/** An adapter may quote an answer in its own errors, and an answer may quote a secret (law 8). */
function withCleanErrors(platform: Platform, cleanError: (error: unknown) => BridgeError): Platform {
  async function* clean<T extends object>(items: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      for await (const item of items) yield 'failed' in item ? { ...item, failed: cleanError(item.failed) } : item;
    } catch (error) {
      throw cleanError(error);
    }
  }
  const { find, search } = platform;
  return {
    ...platform,
    async identify(http, options) {
      try {
        return await platform.identify(http, options);
      } catch (error) {
        throw cleanError(error);
      }
    },
    sensors: (http, options) => clean(platform.sensors(http, options)),
    ...(find && { find: (http, options, ids) => clean(find(http, options, ids)) }),
    ...(search && { search: (http, options, sought) => clean(search(http, options, sought)) }),
    read: (http, options, selection, window) => clean(platform.read(http, options, selection, window)),
  };
}
