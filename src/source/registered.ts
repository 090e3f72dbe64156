import { unseal } from '../access/sealed-config.ts';
import { configInvalid } from '../core/errors.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { parseListed, platformsFor } from '../platform/platforms-for.ts';
import type { Platform } from '../platform/contract.ts';
import type { Registry } from '../platform/registry.ts';
import type { Bridge } from '../pull/bridge.ts';
import { findSource, sourceOf } from './find-source.ts';
import type { WantedSource } from './find-source.ts';

/** A bridge whose workers a check, a preview or a search for sensors shares the pace and the accounts with. */
export interface BridgeAtHand extends Pick<Bridge, 'database' | 'sealing' | 'clock' | 'workerId'> {
  readonly registry: Registry;
}

/** A source as it is registered. */
export interface RegisteredSource {
  readonly id: number;
  readonly revision: number;
  readonly state: 'active' | 'paused' | 'stopped';
  /** The message of its last fault. */
  readonly fault: string | undefined;
  /** The account that its workers use, as a digest; undefined where none has asked since its last change. */
  readonly account: string | undefined;
  readonly config: SourceConfig;
  readonly platform: Platform;
}

/**
 * Reads a source from the database. Throws `config-invalid` for an unknown source, for a name that stands in several
 * organisations where none is given, and for a configuration that this build does not understand.
 */
export async function registeredSource(bridge: BridgeAtHand, wanted: WantedSource): Promise<RegisteredSource> {
  const { database, sealing, registry } = bridge;
  const found = await findSource(database, wanted);
  const row = await database.row<Omit<RegisteredSource, 'config' | 'platform'> & { config: unknown }>(
    `select id, revision, source.state, config, last_fault ->> 'message' as fault, pace.state ->> 'account' as account
     from source left join pace on source_id = id where id = $1`,
    [found.id],
  );
  const raw = await unseal(row?.config, sealing);
  const parsed = await parseListed(raw, await platformsFor(registry, raw), { kinds: registry.kinds });
  if (row !== undefined && parsed.ok) return { ...row, config: parsed.source, platform: parsed.platform };
  const [problem] = parsed.ok ? [] : parsed.problems;
  throw configInvalid(
    `${titleOf(found)} is not valid any more: ${problem?.path ?? ''}: ${problem?.message ?? ''}`,
    'correct its file and apply it',
    problem?.path,
  );
}

/** The registered source with the name of a source in a file; undefined where there is none. */
export async function registeredAs(
  bridge: BridgeAtHand,
  { name, organisation }: SourceConfig,
): Promise<RegisteredSource | undefined> {
  const known = await sourceOf(bridge.database, { name, organisation });
  return known && (await registeredSource(bridge, { name, organisation }));
}
