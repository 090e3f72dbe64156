import { createProject, listProjects } from '../../access/projects.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine, printList } from '../../terminal/output.ts';

/** `project create`. */
export async function projectCreate(
  code: string,
  options: { organisation: string; name?: string; json?: boolean },
): Promise<void> {
  const created = await withContext(
    ({ database }) =>
      createProject(database, { organisation: options.organisation, code, name: options.name }, actor()),
    { mayCreate: true },
  );
  if (options.json) printJson({ code, organisation: options.organisation, created });
  else printLine(created ? `project ${code} created` : `project ${code} exists already`);
}

/** `project list`. */
export async function projectList(options: { limit?: number; json?: boolean }): Promise<void> {
  const rows = await withContext(({ database }) => listProjects(database));
  if (options.json) printJson(rows.slice(0, options.limit));
  else if (rows.length === 0) printLine('no projects yet; databridge project create CODE creates one');
  else {
    const cells = rows.map((row) => [row.organisation, row.code, row.name, row.sources, row.series]);
    printList(['organisation', 'code', 'name', 'sources', 'series'], cells, {
      noun: ['project'],
      limit: options.limit,
    });
  }
}
