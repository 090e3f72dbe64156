import type { Command } from 'commander';
import { createProject, listProjects } from '../access/projects.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';

export function addProject(program: Command): void {
  const project = program
    .command('project')
    .description('ML projects: where readings go; the project code exists first');
  project
    .command('create <code>')
    .description('create an ML project')
    .option('--organisation <id>', 'organisation that owns it', 'default')
    .option('--name <name>', 'what people call it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ databridge project create pump-hall --name "Pump hall"')
    .action(async (code: string, options: { organisation: string; name?: string; json?: boolean }) => {
      const created = await withContext({ patient: false }, ({ database }) =>
        createProject(database, { organisation: options.organisation, code, name: options.name }, actor()),
      );
      if (options.json) printJson({ code, organisation: options.organisation, created });
      else printLine(created ? `project ${code} created` : `project ${code} exists already`);
    });
  project
    .command('list')
    .description('list ML projects')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const rows = await withContext({ patient: false }, ({ database }) => listProjects(database));
      if (options.json) printJson(rows);
      else if (rows.length === 0) printLine('no projects yet; databridge project create CODE makes one');
      else {
        const cells = rows.map((row) => [row.organisation, row.code, row.name, row.sources, row.series]);
        printLine(table(['organisation', 'code', 'name', 'sources', 'series'], cells));
      }
    });
}
