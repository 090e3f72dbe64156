import type { Sealing } from '../access/sealing.ts';
import { sealedPaths, unseal } from '../access/sealed-config.ts';
import type { Instant } from '../core/instant.ts';
import { describeDifference } from '../core/source/difference.ts';
import type { Difference } from '../core/source/difference.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';

/** A source as the database holds it. Instants in µs. */
export interface StoredSource {
  readonly id: number;
  readonly platform: string;
  readonly config: unknown;
  readonly project_id: number;
  readonly created_at: Instant;
  readonly start_at: Instant;
}

/** A source as its operator wrote it, beside the stored source of that name; `stored` is undefined for a new source. */
export interface Comparison {
  readonly stored: StoredSource | undefined;
  readonly action: 'created' | 'changed' | 'unchanged';
  readonly differences: readonly Difference[];
}

export async function compareWithStored(
  database: Database,
  sealing: Sealing,
  source: SourceConfig,
): Promise<Comparison> {
  const stored = await database.row<StoredSource & Record<string, unknown>>(
    'select id, platform, config, project_id, instant_of(created_at) as created_at, instant_of(start_at) as start_at from source where name = $1',
    [source.name],
  );
  if (stored === undefined) return { stored, action: 'created', differences: [] };
  const differences = describeDifference(await opened(stored.config, sealing), source);
  return { stored, action: differences.length > 0 ? 'changed' : 'unchanged', differences };
}

/** Takes the place of a secret whose sealing key is lost. No operator writes it, so every secret differs from it. */
const LOST = JSON.stringify('\0');

/** Opens a stored configuration. A lost sealing key is no error, because the operator repairs that by applying again. */
async function opened(config: unknown, sealing: Sealing): Promise<{ raw: unknown; secrets: readonly string[] }> {
  const open = (sealed: string): Promise<string> => sealing.open(sealed).catch(() => LOST);
  return { raw: await unseal(config, { ...sealing, open }), secrets: sealedPaths(config) };
}
