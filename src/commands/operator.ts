import { Option } from 'commander';
import type { Command } from 'commander';
import { OPERATOR_ROLES } from '../core/operator-role.ts';
import { helpBelow } from './help.ts';
import { wholeNumberUpTo } from './options.ts';
import { whenRun } from './when-run.ts';

/** The longest life of a personal token, days. */
const LONGEST_DAYS = 365;

const ROLES =
  'A viewer reads. An operator also changes sources and backfills. An admin also changes operators, applications and signing keys.';

/** `operator`: people and programs that use the operator API. */
export function addOperator(program: Command): void {
  const operator = program
    .command('operator')
    .description('operators: people and programs that use the operator API')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge operator create anna --role operator', 'databridge operator list'] }),
    );
  operator
    .command('create <name>')
    .description('create an operator')
    .addOption(new Option('--role <role>', 'the least that it needs').choices(OPERATOR_ROLES).default('viewer'))
    .option('--organisation <id...>', 'the only organisations it sees; default: all')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge operator create anna --role operator',
          'databridge operator create board --organisation north-works',
        ],
        notes: [ROLES],
      }),
    )
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorCreate));
  operator
    .command('list')
    .description('list operators with their roles')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge operator list', 'databridge operator list --json'] }))
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorList));
  operator
    .command('role <name> <role>')
    .description('give an operator another role, from its next request on')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge operator role anna admin'], notes: [ROLES] }))
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorRoleChange));
  operator
    .command('organisations <name>')
    .description('say which organisations an operator sees, from its next request on')
    .addOption(new Option('--organisation <id...>', 'the only organisations it sees').conflicts('all'))
    .option('--all', 'it sees all organisations')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge operator organisations anna --organisation north south',
          'databridge operator organisations anna --all',
        ],
        notes: [
          'An operator that signs in by OpenID Connect is made with the right to see all; this limits it. Its sessions end.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/operator-reach.ts')).operatorOrganisations));
  operator
    .command('sign-out [name]')
    .description('end the sessions of an operator; its tokens go on')
    .option('--all', 'end the sessions of all operators')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge operator sign-out anna', 'databridge operator sign-out --all'] }),
    )
    .action(whenRun(async () => (await import('./actions/operator-reach.ts')).operatorSignOut));
  operator
    .command('disable <name>')
    .description('refuse an operator from its next request on, and revoke its tokens')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge operator disable anna'] }))
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorDisable));
  operator
    .command('enable <name>')
    .description('let a disabled operator in again; its old tokens stay revoked')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge operator enable anna'] }))
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorEnable));
  operator
    .command('password <name>')
    .description('give an operator a password; it is asked for, or read from standard input')
    .option('--temporary', 'the operator has to choose another one at its first sign-in, within a day')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge operator password anna', 'databridge operator password anna --temporary < password.txt'],
        notes: [
          'A password has 12 to 128 characters of any kind, is none of those that are guessed first, and is never an argument, because other users of this computer can read arguments. The sessions of the operator end.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/operator-password.ts')).operatorPassword));
  operator
    .command('link <name>')
    .description('make a link that signs a browser in as an operator, once, within 15 minutes')
    .option('--invite', 'for a new operator: it is taken for three days, and a password is chosen with it')
    .option('--json', 'print JSON, with the token')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge operator link anna', 'databridge operator link anna --invite'] }),
    )
    .action(whenRun(async () => (await import('./actions/operator-link.ts')).operatorLink));
  addTokens(operator);
}

function addTokens(operator: Command): void {
  const token = operator
    .command('token')
    .description('personal tokens: a program presents one instead of a password')
    .addHelpText('after', helpBelow({ examples: ['databridge operator token create anna --name laptop'] }));
  token
    .command('create <operator>')
    .description('create a personal token and show it, once')
    .requiredOption('--name <name>', 'name of the token: the place that uses it')
    .addOption(
      new Option('--days <number>', `days until it expires, at most ${LONGEST_DAYS}`)
        .argParser(wholeNumberUpTo(LONGEST_DAYS))
        .default(90),
    )
    .option('--json', 'print JSON, with the token')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge operator token create anna --name laptop',
          'databridge operator token create board --name wallboard --days 365',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorTokenCreate));
  token
    .command('list [operator]')
    .description('list personal tokens with their last use; none is shown itself')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge operator token list', 'databridge operator token list anna'] }),
    )
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorTokenList));
  token
    .command('revoke <id>')
    .description('refuse a personal token from its next use on')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge operator token revoke tok_0123456789abcdef0123'] }))
    .action(whenRun(async () => (await import('./actions/operator.ts')).operatorTokenRevoke));
}
