import type { BridgeError } from '../../core/errors.ts';
import { questionFor } from '../../core/question.ts';
import { localWindows } from '../../core/zone.ts';
import type { Zone } from '../../core/zone.ts';
import type { Platform } from '../../platform/contract.ts';

/**
 * A platform as the poll path asks it for one source. It is asked for windows in a form that it answers completely (core/question.ts),
 * and for local times where `zone` is known; the normaliser drops what is too much and turns local times into instants. Its errors
 * are made fit to be told by `cleanError`, because an adapter may quote an answer in them, and an answer may quote a secret (law 8).
 */
export function askedPlatform(
  platform: Platform,
  { zone, cleanError }: { readonly zone: Zone | undefined; readonly cleanError: (error: unknown) => BridgeError },
): Platform {
  async function* clean<T extends object>(parts: readonly (() => AsyncIterable<T>)[]): AsyncGenerator<T> {
    try {
      for (const part of parts) {
        for await (const item of part()) yield 'failed' in item ? { ...item, failed: cleanError(item.failed) } : item;
      }
    } catch (error) {
      throw cleanError(error);
    }
  }
  const { find, search, facts } = platform;
  return {
    ...platform,
    async identify(http, options) {
      try {
        return await platform.identify(http, options);
      } catch (error) {
        throw cleanError(error);
      }
    },
    sensors: (http, options) => clean([() => platform.sensors(http, options)]),
    ...(find && { find: (http, options, ids) => clean([() => find(http, options, ids)]) }),
    ...(search && { search: (http, options, sought) => clean([() => search(http, options, sought)]) }),
    read(http, options, selection, window) {
      const parts = zone === undefined ? [window] : localWindows(zone, window);
      return clean(parts.map((part) => () => platform.read(http, options, selection, questionFor(part, facts))));
    },
  };
}
