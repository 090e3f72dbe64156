import type { Command } from 'commander';
import { createOrganisation, listOrganisations } from '../access/organisations.ts';
import { formatInstant } from '../core/instant.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';
import { helpBelow } from './help.ts';

export function addOrganisation(program: Command): void {
  const organisation = program
    .command('organisation')
    .description('organisations: the owners of projects, applications and readings')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge organisation create north-works', 'databridge organisation list'] }),
    );
  organisation
    .command('create <id>')
    .description('create an organisation; its id is part of the path to which readings are pushed')
    .option('--name <name>', 'name for people; default: the id')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge organisation create north-works --name "North works"'] }))
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
    .description('list organisations with the number of their projects and applications')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge organisation list', 'databridge organisation list --json'] }),
    )
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
