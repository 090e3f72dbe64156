import type { ClientBase } from 'pg';

/** Revokes all families of refresh tokens of an application that are not revoked yet. */
export async function revokeFamilies(client: ClientBase, applicationId: string, because: string): Promise<void> {
  await client.query(
    'update refresh_family set revoked_at = now(), revoked_because = $2 where application_id = $1 and revoked_at is null',
    [applicationId, because],
  );
}
