import { configInvalid } from '../core/errors.ts';
import { isMapping } from '../core/source/path.ts';
import { parseSource } from '../core/source/source.ts';
import type { KindSchemas, ParsedSource, SourcePlatform } from '../core/source/source.ts';
import type { Instant } from '../core/instant.ts';
import { loadedOf } from './registry.ts';
import type { Listed, Registry } from './registry.ts';

/** Checks one source as `parseSource` does, and loads no platform but the one that the source names. */
export async function parseListed<P extends SourcePlatform, K extends string>(
  input: unknown,
  platforms: readonly (P | Listed<P>)[],
  given: { readonly kinds: KindSchemas<K>; readonly now?: Instant },
): Promise<ParsedSource<P, K>> {
  const named = isMapping(input) ? input['platform'] : undefined;
  const loaded = await loadedOf(platforms, typeof named === 'string' ? [named] : []);
  return parseSource(input, loaded, { ...given, names: platforms.map(({ name }) => name) });
}

/**
 * The platforms among which a stored source finds its own: those of this build, or the one that its `adapter` names. Throws
 * `config-invalid` where this host may not load it, does not have it, or has another version of it.
 */
export async function platformsFor(
  { platforms, adapters }: Pick<Registry, 'platforms' | 'adapters'>,
  source: unknown,
): Promise<Registry['platforms']> {
  const adapter = isMapping(source) ? source['adapter'] : undefined;
  if (typeof adapter !== 'string') return platforms;
  if (adapters === undefined) throw noAdapters();
  const platform = await adapters.load(adapter);
  if (platforms.every(({ name }) => name !== platform.name)) return [platform];
  const remedy = 'give the platform of the adapter another name, or leave adapter out of the source';
  throw configInvalid(
    `the adapter calls itself ${platform.name}, which is a platform of this build`,
    remedy,
    'adapter',
  );
}

/** The error of a host whose operator allows no code but that of this build. */
export const noAdapters = () =>
  configInvalid(
    'this bridge loads no adapters',
    'its operator sets DATABRIDGE_ADAPTERS on every host to the directory from which code may be loaded',
    'adapter',
  );
