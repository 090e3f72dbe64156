import type { KindSchemas } from '../core/source/source.ts';
import type { KindName, Platform } from './contract.ts';

/** Platforms that are no part of this build. Both functions throw `config-invalid`. */
export interface Adapters<Platform> {
  /** The reference under which a source with this `adapter` is stored; it names the version. `from`: the directory of its file. */
  readonly pin: (adapter: string, from: string) => Promise<string>;
  /** The platform of such a reference, of that version and no other. */
  readonly load: (reference: string) => Promise<Platform>;
}

/** A platform that is known by its name, and loaded when a source names it, because most commands need one or none. */
export interface Listed<P> {
  readonly name: string;
  readonly load: () => Promise<P>;
}

/** The platforms of this build, and the schema of the connection fields of each kind. */
export interface Registry {
  readonly platforms: readonly (Platform | Listed<Platform>)[];
  readonly kinds: KindSchemas<KindName>;
  /** Undefined where the operator of the bridge allows no other code. */
  readonly adapters?: Adapters<Platform>;
}

/** The platforms with these names, by default all, loaded, in the order of the list. A name that is not in the list is left out. */
export const loadedOf = <P extends { readonly name: string }>(
  platforms: readonly (P | Listed<P>)[],
  names?: readonly string[],
): Promise<readonly P[]> =>
  Promise.all(
    platforms
      .filter(({ name }) => names === undefined || names.includes(name))
      .map(async (platform) => ('load' in platform ? await platform.load() : platform)),
  );
