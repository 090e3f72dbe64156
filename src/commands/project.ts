import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { addProjectKeep } from './project-keep.ts';
import { addProjectLock } from './project-lock.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

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
    .action(whenRun(async () => (await import('./actions/project.ts')).projectCreate));
  project
    .command('list')
    .description('list ML projects with the number of their sources and series')
    .option('--limit <number>', 'projects shown', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge project list', 'databridge project list --json'] }))
    .action(whenRun(async () => (await import('./actions/project.ts')).projectList));
  addProjectLock(project);
  addProjectKeep(project);
}
