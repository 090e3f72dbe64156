/** Platforms that are no part of this build. Both functions throw `config-invalid`. */
export interface Adapters<Platform> {
  /** The reference under which a source with this `adapter` is stored; it names the version. `from`: the directory of its file. */
  readonly pin: (adapter: string, from: string) => Promise<string>;
  /** The platform of such a reference, of that version and no other. */
  readonly load: (reference: string) => Promise<Platform>;
}
