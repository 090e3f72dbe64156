import { configInvalid } from '../core/errors.ts';
import { isMapping } from '../core/source/path.ts';
import type { Platform, Registry } from './contract.ts';

/**
 * The platforms among which a stored source finds its own: those of this build, or the one that its `adapter` names. Throws
 * `config-invalid` where this host may not load it, does not have it, or has another version of it.
 */
export async function platformsFor(
  { platforms, adapters }: Pick<Registry, 'platforms' | 'adapters'>,
  source: unknown,
): Promise<readonly Platform[]> {
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
