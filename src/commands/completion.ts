import { Argument } from 'commander';
import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that completes').choices(['bash', 'zsh']))
    .description('print a script that lets a shell complete commands, options and names')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'eval "$(databridge completion bash)"   # in ~/.bashrc',
          'eval "$(databridge completion zsh)"    # in ~/.zshrc, after compinit',
        ],
        notes: [
          'Names of sources, projects, organisations and platforms are asked for when you press Tab. Where the database does not answer within a second, none is offered.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/completion.ts')).completion));
  // The script asks for names by this command.
  program
    .command('complete', { hidden: true })
    .argument('<what>')
    .description('print names, for the script of completion')
    .addHelpText('after', helpBelow({ examples: ['databridge complete sources'] }))
    .action(whenRun(async () => (await import('./actions/complete.ts')).complete));
}
