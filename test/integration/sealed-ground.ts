import { sharedGrantOf } from '../../src/access/shared-grant.ts';
import { createFirstSigningKey } from '../../src/access/stored-signing-keys.ts';
import type { StoredSealing } from '../../src/access/stored-sealing.ts';
import { setRemote } from '../../src/delivery/remote.ts';
import { sourceTokensOf } from '../../src/pull/open/tokens.ts';
import { good } from './registration-ground.ts';
import type { Ground } from './registration-ground.ts';

/** Stores a sealed value in every column that may hold one. */
export async function storeEverything({ apply, database }: Ground, sealing: StoredSealing): Promise<void> {
  await apply({}, { sealing });
  await apply({ connection: { ...good.connection, password: 's3cret-second' } }, { sealing });
  const source = await database.row<{ id: number; project: number }>('select id, project_id as project from source');
  const tokens = sourceTokensOf(database, sealing, source?.id ?? 0);
  await tokens.replace(undefined, async () => ({ token: 's3cret-token', expiresAt: undefined }));
  const remote = { url: 'https://service.example', organisation: 'o', code: 'c', applicationId: 'a' };
  const project = { organisation: 'default', code: 'presses' };
  await setRemote(database, sealing, project, { ...remote, secret: 's3cret-remote', mostWaiting: 1_000 }, 'test');
  const owner = {
    name: 'x',
    table: 'remote',
    key: 'project_id',
    grants: 'remote_token',
    reference: 'project_id',
  } as const;
  const grants = sharedGrantOf<string>(
    { database, sealing, owner: { ...owner, id: source?.project ?? 0 } },
    { tokenOf: (grant) => grant, isFinal: () => false },
  );
  await grants.replace(undefined, async () => 's3cret-grant');
  await createFirstSigningKey(database, sealing);
}
