import type { Sealing } from '../../access/sealing.ts';
import { sharedGrantOf } from '../../access/shared-grant.ts';
import { BridgeError } from '../../core/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Grant } from '../../platform/contract.ts';
import type { GrantStore } from '../../platform/connection/index.ts';

/** The token of one source, which all processes share. */
export function sourceTokensOf(database: Database, sealing: Sealing, sourceId: number): GrantStore {
  const owner = {
    name: 'the source',
    table: 'source',
    key: 'id',
    grants: 'token',
    reference: 'source_id',
    id: sourceId,
  } as const;
  return sharedGrantOf<Grant>(
    { database, sealing, owner },
    {
      tokenOf: ({ token }) => token,
      isFinal: (error) => error instanceof BridgeError && error.code === 'credentials-rejected',
    },
  );
}
