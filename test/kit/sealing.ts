import { digestKeyOf, digestWith, openKeys } from '../../src/access/keys.ts';
import { openWith, sealWith } from '../../src/access/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';

/** Needs no transaction to seal. */
export type TestSealing = Sealing & { seal(secret: string): Promise<string> };

/** A sealing with the present key of a place, which no database confirms. */
export async function openSealing(home: string, sealingKey: string | undefined): Promise<TestSealing> {
  const keys = await openKeys({ home, sealingKey });
  return {
    seal: (secret) => sealWith(keys.present(), secret),
    open: (sealed) => openWith(keys, sealed),
    digest: (text) => digestWith(digestKeyOf(keys.present()), text),
  };
}
