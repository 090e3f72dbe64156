import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

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
    .action(whenRun(async () => (await import('./actions/organisation.ts')).organisationCreate));
  organisation
    .command('list')
    .description('list organisations with the number of their projects and applications')
    .option('--limit <number>', 'organisations shown', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge organisation list', 'databridge organisation list --json'] }),
    )
    .action(whenRun(async () => (await import('./actions/organisation.ts')).organisationList));
}
