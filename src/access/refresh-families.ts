import type { ClientBase } from 'pg';

/**
 * Ends the access tokens of an application that were made until now: every process refuses them within three seconds
 * (`revocations.ts`). Called after families are locked, so that two such transactions cannot wait for each other.
 */
export const endAccessTokens = async (client: ClientBase, applicationId: string): Promise<void> =>
  void (await client.query(
    'update application set token_generation = token_generation + 1, tokens_ended_at = now() where id = $1',
    [applicationId],
  ));

/** Revokes all families of refresh tokens of an application that are not revoked yet. */
export async function revokeFamilies(client: ClientBase, applicationId: string, because: string): Promise<void> {
  await client.query(
    'update refresh_family set revoked_at = now(), revoked_because = $2 where application_id = $1 and revoked_at is null',
    [applicationId, because],
  );
}
