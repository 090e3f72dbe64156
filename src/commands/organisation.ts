import type { Command } from 'commander';
import { createOrganisation, listOrganisations } from '../access/organisations.ts';
import { formatInstant } from '../core/instant.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';

export function addOrganisation(program: Command): void {
  const organisation = program
    .command('organisation')
    .description('organisations: who owns projects, applications and data');
  organisation
    .command('create <id>')
    .description('create an organisation; its id stands in the path data is pushed to')
    .option('--name <name>', 'what people call it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ databridge organisation create north-works --name "North works"')
    .action(async (id: string, options: { name?: string; json?: boolean }) => {
      const name = options.name ?? id;
      const created = await withContext({ patient: false }, ({ database }) =>
        createOrganisation(database, { id, name }, actor()),
      );
      if (options.json) printJson({ id, created });
      else printLine(created ? `organisation ${id} created` : `organisation ${id} exists already`);
    });
  organisation
    .command('list')
    .description('list organisations')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ databridge organisation list --json')
    .action(async (options: { json?: boolean }) => {
      const rows = await withContext({ patient: false }, ({ database }) => listOrganisations(database));
      if (options.json) {
        printJson(rows.map((row) => ({ ...row, createdAt: formatInstant(row.createdAt) })));
        return;
      }
      const cells = rows.map((row) => [row.id, row.name, row.projects, row.applications]);
      printLine(table(['id', 'name', 'projects', 'applications'], cells));
    });
}
