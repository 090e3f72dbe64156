import { BridgeError, configInvalid } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import type { Keys } from './keys.ts';
import { rotateSigningKey } from './stored-signing-keys.ts';
import { giveSecretsUp, sealingOf } from './stored-sealing.ts';

/** Secrets that no key opens any more, by their owners. */
export interface LostSecrets {
  readonly sources: readonly { readonly organisation: string; readonly name: string }[];
  /** Projects whose readings are pushed on. */
  readonly projects: readonly { readonly organisation: string; readonly code: string }[];
}

const SOURCES = `
  select organisation_id as organisation, name from source where config::text like '%"$sealed"%' order by 1, 2`;
const PROJECTS = `
  select organisation_id as organisation, ml_project.code from remote join ml_project on ml_project.id = project_id
  where secret like 'eyJ%' order by 1, 2`;

/**
 * The secrets that are lost together with the key. Changes nothing. Throws `config-invalid` where this process has the key, because
 * nothing is lost then.
 */
export async function lostSecrets(database: Database, keys: Keys): Promise<LostSecrets> {
  const isHere = await sealingOf(database, keys)
    .verify()
    .then(() => true, refused);
  if (isHere) {
    throw configInvalid('this process has the key of the stored secrets', 'databridge key rotate replaces a key');
  }
  return {
    sources: await database.rows<{ organisation: string; name: string }>(SOURCES),
    projects: await database.rows<{ organisation: string; code: string }>(PROJECTS),
  };
}

const refused = (error: unknown): false => {
  if (error instanceof BridgeError && error.code === 'config-invalid') return false;
  throw error;
};

/**
 * Begins with the present key of this process. Stored tokens of platforms are removed, because a source whose secret is a reference
 * gets a new one. A new key signs access tokens at once. @returns the id of the key
 */
export async function beginWithNewKey(database: Database, keys: Keys, actor: string): Promise<string> {
  await database.transaction(async (client) => {
    await giveSecretsUp(client);
    for (const table of ['token', 'remote_token']) {
      await client.query(
        `update ${table} set version = version + 1, sealed = null, replacing_until = null where sealed is not null`,
      );
    }
    await audit(client, actor, 'key.lost', keys.present().kid, {});
  });
  const sealing = sealingOf(database, keys);
  const kid = await sealing.verify();
  await rotateSigningKey(database, sealing, { atOnce: true }, actor);
  return kid;
}
