import { createProject, listProjects } from '../../access/projects.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine, table } from '../../terminal/output.ts';

/** `project create`. */
export async function projectCreate(
  code: string,
  options: { organisation: string; name?: string; json?: boolean },
): Promise<void> {
  const created = await withContext({ patient: false, mayCreate: true }, ({ database }) =>
    createProject(database, { organisation: options.organisation, code, name: options.name }, actor()),
  );
  if (options.json) printJson({ code, organisation: options.organisation, created });
  else printLine(created ? `project ${code} created` : `project ${code} exists already`);
}

/** `project list`. */
export async function projectList(options: { json?: boolean }): Promise<void> {
  const rows = await withContext({ patient: false }, ({ database }) => listProjects(database));
  if (options.json) printJson(rows);
  else if (rows.length === 0) printLine('no projects yet; databridge project create CODE creates one');
  else {
    const cells = rows.map((row) => [row.organisation, row.code, row.name, row.sources, row.series]);
    printLine(table(['organisation', 'code', 'name', 'sources', 'series'], cells));
  }
}
