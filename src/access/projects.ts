import { configInvalid } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import { assertCode, assertName } from './names.ts';
import { assertOrganisation } from './organisations.ts';

/** An ML project, with the number of its sources and series. */
export interface Project {
  readonly organisation: string;
  readonly code: string;
  readonly name: string;
  readonly sources: number;
  readonly series: number;
}

/**
 * Creates an ML project; false where its organisation has a project with this code already. Throws `config-invalid` for a
 * bad code or name and for an organisation that does not exist.
 */
export async function createProject(
  database: Database,
  given: { readonly organisation: string; readonly code: string; readonly name?: string | undefined },
  actor: string,
): Promise<boolean> {
  const { organisation, code, name = code } = given;
  assertCode(code, 'a project code', 'code');
  assertName(name);
  await assertOrganisation(database, organisation);
  return await database.transaction(async (client) => {
    const { rowCount } = await client.query(
      'insert into ml_project (organisation_id, code, name) values ($1, $2, $3) on conflict do nothing',
      [organisation, code, name],
    );
    if (rowCount) await audit(client, actor, 'project.created', code, { organisation });
    return Boolean(rowCount);
  });
}

export const listProjects = (database: Database): Promise<Project[]> =>
  database.rows<Project & Record<string, unknown>>(
    `select organisation_id as organisation, code, name,
       (select count(*) from source where project_id = ml_project.id) as sources,
       (select count(*) from series where project_id = ml_project.id) as series
     from ml_project order by 1, 2`,
  );

/** An application may be limited to at most this many projects, because access tokens name them and a header is short. */
const MOST_PROJECTS = 32;

/** Throws `config-invalid` where an application cannot be limited to these projects of an organisation. */
export async function assertProjects(
  database: Database,
  organisation: string,
  codes: readonly string[],
): Promise<void> {
  if (codes.length === 0 || codes.length > MOST_PROJECTS) {
    throw configInvalid(
      `an application is limited to 1 to ${MOST_PROJECTS} projects, not ${codes.length}`,
      `name 1 to ${MOST_PROJECTS} projects, or none at all to allow every project of the organisation`,
      'projects',
    );
  }
  const rows = await database.rows<{ code: string }>('select code from ml_project where organisation_id = $1', [
    organisation,
  ]);
  const missing = codes.find((code) => rows.every((row) => row.code !== code));
  if (missing === undefined) return;
  throw configInvalid(
    `organisation ${organisation} has no project ${JSON.stringify(missing)}`,
    'databridge project list shows all projects; databridge project create makes a new one',
    'projects',
  );
}
