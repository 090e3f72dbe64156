import type { Command } from 'commander';
import { createProject, listProjects } from '../access/projects.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';
import { helpBelow } from './help.ts';

export function addProject(program: Command): void {
  const project = program
    .command('project')
    .description('ML projects: the targets of readings; every reading belongs to a project')
    .addHelpText('after', helpBelow({ examples: ['databridge project create pump-hall', 'databridge project list'] }));
  project
    .command('create <code>')
    .description('create an ML project, before the sources that name it and the readings pushed to it')
    .option('--organisation <id>', 'organisation that owns it', 'default')
    .option('--name <name>', 'name for people; default: the code')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge project create pump-hall --name "Pump hall"'] }))
    .action(async (code: string, options: { organisation: string; name?: string; json?: boolean }) => {
      const created = await withContext({ patient: false }, ({ database }) =>
        createProject(database, { organisation: options.organisation, code, name: options.name }, actor()),
      );
      if (options.json) printJson({ code, organisation: options.organisation, created });
      else printLine(created ? `project ${code} created` : `project ${code} exists already`);
    });
  project
    .command('list')
    .description('list ML projects with the number of their sources and series')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge project list', 'databridge project list --json'] }))
    .action(async (options: { json?: boolean }) => {
      const rows = await withContext({ patient: false }, ({ database }) => listProjects(database));
      if (options.json) printJson(rows);
      else if (rows.length === 0) printLine('no projects yet; databridge project create CODE creates one');
      else {
        const cells = rows.map((row) => [row.organisation, row.code, row.name, row.sources, row.series]);
        printLine(table(['organisation', 'code', 'name', 'sources', 'series'], cells));
      }
    });
}
