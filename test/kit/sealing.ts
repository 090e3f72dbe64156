import { digestKeyOf, digestWith, openKeys } from '../../src/access/keys.ts';
import { openWith, sealWith } from '../../src/access/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';

/** A sealing with the present key of a place, which no database confirms. */
export async function openSealing(home: string, sealingKey: string | undefined): Promise<Sealing> {
  const keys = await openKeys({ home, sealingKey });
  return {
    seal: (secret) => sealWith(keys.present(), secret),
    open: (sealed) => openWith(keys, sealed),
    digest: (text) => digestWith(digestKeyOf(keys.present()), text),
  };
}
