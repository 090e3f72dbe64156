import { createOrganisation, listOrganisations } from '../../access/organisations.ts';
import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine, printList } from '../../terminal/output.ts';

/** `organisation create`. */
export async function organisationCreate(id: string, options: { name?: string; json?: boolean }): Promise<void> {
  const name = options.name ?? id;
  const created = await withContext(({ database }) => createOrganisation(database, { id, name }, actor()));
  if (options.json) printJson({ id, created });
  else printLine(created ? `organisation ${id} created` : `organisation ${id} exists already`);
}

/** `organisation list`. */
export async function organisationList(options: { limit?: number; json?: boolean }): Promise<void> {
  const rows = await withContext(({ database }) => listOrganisations(database));
  if (options.json) {
    printJson(rows.slice(0, options.limit).map((row) => ({ ...row, createdAt: formatInstant(row.createdAt) })));
    return;
  }
  const cells = rows.map((row) => [row.id, row.name, row.projects, row.applications]);
  printList(['id', 'name', 'projects', 'applications'], cells, { noun: ['organisation'], limit: options.limit });
}
