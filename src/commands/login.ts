import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

const ADDRESS = ['--url <url>', 'address of its operator API, such as https://bridge.example'] as const;

/** Adds `login` and `logout`. */
export function addLogin(program: Command): void {
  program
    .command('login')
    .description('keep the personal token with which databridge --url asks a bridge elsewhere')
    .requiredOption(...ADDRESS)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge login --url https://bridge.example',
          'databridge --url https://bridge.example source list',
        ],
        notes: [
          'Asks for the token, or reads it from standard input where that is no terminal. databridge operator token create makes one on the computer of the bridge. It is kept in databridge/logins.json of XDG_CONFIG_HOME (~/.config), which only your account can read.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/login.ts')).loginElsewhere));
  program
    .command('logout')
    .description('forget the personal token of a bridge elsewhere')
    .requiredOption(...ADDRESS)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge logout --url https://bridge.example'],
        notes: ['The token itself goes on being valid; databridge operator token revoke ends it.'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/login.ts')).logoutElsewhere));
}
