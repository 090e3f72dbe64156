import type { Instant } from '../core/instant.ts';
import { configInvalid } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import { assertCode, assertName, isCode } from './names.ts';

/** An owner of data, with the number of its projects and applications. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly projects: number;
  /** Applications that are not revoked. */
  readonly applications: number;
}

/** Creates an organisation; false where this id exists already. Throws `config-invalid` for a bad id or name. */
export async function createOrganisation(
  database: Database,
  { id, name }: { readonly id: string; readonly name: string },
  actor: string,
): Promise<boolean> {
  assertCode(id, 'an organisation id', 'id');
  assertName(name);
  return await database.transaction(async (client) => {
    const { rowCount } = await client.query(
      'insert into organisation (id, name) values ($1, $2) on conflict do nothing',
      [id, name],
    );
    if (rowCount)
      await audit(client, actor, 'organisation.created', id, { organisation: id, before: null, after: { name } });
    return Boolean(rowCount);
  });
}

export const listOrganisations = (database: Database): Promise<Organisation[]> =>
  database.rows<Organisation & Record<string, unknown>>(
    `select id, name, instant_of(created_at) as "createdAt",
       (select count(*) from ml_project where organisation_id = organisation.id) as projects,
       (select count(*) from application where organisation_id = organisation.id and revoked_at is null) as applications
     from organisation order by id`,
  );

/** Throws `config-invalid` where there is no such organisation. */
export async function assertOrganisation(database: Database, id: string): Promise<void> {
  if (isCode(id) && (await database.row('select from organisation where id = $1', [id])) !== undefined) return;
  throw configInvalid(
    `there is no organisation ${JSON.stringify(id)}`,
    'databridge organisation list shows all organisations; databridge organisation create makes a new one',
    'organisation',
  );
}
