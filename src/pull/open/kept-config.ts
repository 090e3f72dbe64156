import type { Database } from '../../database/database.ts';
import { readFile } from 'node:fs/promises';
import { secretPlaces } from '../../access/secret-places.ts';
import { resolveSecrets } from '../../access/secret-reference.ts';
import { BridgeError } from '../../core/errors.ts';
import { isMapping } from '../../core/source/path.ts';
import type { SourceConfig } from '../../core/source/source.ts';

/** A configuration as the poll path needs it: the claim names the project, and the platform is open. */
export type KeptConfig = Omit<SourceConfig, 'raw' | 'secrets' | 'project' | 'platform' | 'adapter'>;

/** The configuration without what only its operator reads; parts that equal those of other sources are theirs. */
export function compactConfig(config: SourceConfig, share: <T>(part: T) => T): KeptConfig {
  const { options } = config;
  return {
    name: config.name,
    organisation: share(config.organisation),
    kind: share(config.kind),
    connection: config.connection,
    tls: share(config.tls),
    // Adapters remember what they learn of a platform by this object, so each source has its own.
    options: isMapping(options)
      ? Object.fromEntries(Object.entries(options).map(([key, part]) => [key, share(part)]))
      : options,
    schedule: share(config.schedule),
    pace: share(config.pace),
    sensors: config.sensors,
    mapping: share(config.mapping),
  };
}

type Referring = Pick<KeptConfig, 'connection' | 'options' | 'tls'>;

/** The blocks that may refer to secrets and certificates, with these; themselves where they refer to none. */
export async function inClear({ connection, options, tls }: KeptConfig): Promise<Referring> {
  const stored: Referring = { connection, options, tls };
  const blocks = JSON.stringify(stored).includes('${') ? await resolveSecrets(stored, secretPlaces()) : stored;
  const { ca } = blocks.tls;
  return ca?.startsWith('/') === true ? { ...blocks, tls: { ...blocks.tls, ca: await readAuthority(ca) } } : blocks;
}

async function readAuthority(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const remedy = 'give the path of a PEM file that this process may read, or the PEM text itself';
    throw new BridgeError({ code: 'config-invalid', path: 'tls.ca' }, `tls.ca: ${path} cannot be read`, {
      remedy,
      cause,
    });
  }
}

/** The configuration, where the claim left it out and the source has been closed since. */
export async function storedConfigOf(
  database: Database,
  { id, edition }: { readonly id: number; readonly edition: string },
): Promise<unknown> {
  const row = await database.row<{ config: unknown }>('select config from source where id = $1 and edition = $2', [
    id,
    edition,
  ]);
  if (row) return row.config;
  throw new BridgeError({ code: 'cancelled' }, 'the source was changed before it was read');
}
