import type { Sealing } from '../access/sealing.ts';
import { secretPlaces } from '../access/secret-places.ts';
import { resolveSecrets } from '../access/secret-reference.ts';
import { sharedGrantOf } from '../access/shared-grant.ts';
import { PushError, openPushClient } from '../client/index.ts';
import type { PushFetch, PushGrant, PushClient } from '../client/index.ts';
import { parseReference } from '../core/source/reference.ts';
import type { Database } from '../database/database.ts';
import { assertRemote } from './assert-remote.ts';

/** The parts that a client of a remote service works with. */
interface RemoteGround {
  readonly database: Database;
  readonly sealing: Sealing;
  /** Goes through the egress guard, as every request of the bridge. */
  readonly fetch: PushFetch;
}

/** A row of `remote`, as a claim returns it. */
export interface RemoteRow {
  readonly projectId: number;
  /** The project's code in this bridge. */
  readonly project: string;
  readonly url: string;
  readonly organisation: string;
  readonly code: string;
  readonly applicationId: string;
  readonly secret: string;
  readonly revision: number;
  readonly batch: number | null;
  readonly failures: number;
}

/**
 * A client of the remote service; all processes share its token. Throws `config-invalid` for an address that no service
 * can have and for a secret that cannot be read.
 */
export async function openRemote({ database, sealing, fetch }: RemoteGround, row: RemoteRow): Promise<PushClient> {
  assertRemote({ url: row.url, secret: '' });
  const owner = {
    name: `the ingestion of ${row.project}`,
    table: 'remote',
    key: 'project_id',
    grants: 'remote_token',
    reference: 'project_id',
    id: row.projectId,
  } as const;
  const grants = sharedGrantOf<PushGrant>(
    { database, sealing, owner },
    {
      tokenOf: ({ accessToken }) => accessToken,
      isFinal: (error) => error instanceof PushError && error.fault.code === 'credentials-rejected',
    },
  );
  const { url: baseUrl, organisation, applicationId } = row;
  const applicationSecret = await secretOf(row.secret, sealing);
  return openPushClient(
    { baseUrl, organisation, applicationId, applicationSecret },
    { grants, fetch, userAgent: 'databridge' },
  );
}

/** Opens a stored secret, which is sealed or a reference. */
const secretOf = async (stored: string, sealing: Sealing): Promise<string> =>
  parseReference(stored) === undefined
    ? await sealing.open(stored)
    : (await resolveSecrets({ secret: stored }, secretPlaces())).secret;
