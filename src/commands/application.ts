import { Option } from 'commander';
import type { Command } from 'commander';
import { REFUSALS } from '../core/reading.ts';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addApplication(program: Command): void {
  const application = program
    .command('application')
    .description('applications: clients that may push readings, each with an id and a secret')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge application create gateway-7', 'databridge application list'] }),
    );
  addCreate(application);
  addList(application);
  addShow(application);
  addRotate(application);
  addRefusals(application);
  application
    .command('revoke <id>')
    .description('end an application: its secrets and tokens are refused within seconds')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge application revoke app_0123456789abcdef0123'] }))
    .action(whenRun(async () => (await import('./actions/application.ts')).applicationRevoke));
}

function addCreate(application: Command): void {
  application
    .command('create <name>')
    .description('create an application and show its secret, once')
    .option('--organisation <id>', 'organisation it pushes for', 'default')
    .option('--project <code...>', 'the only projects it may push to; default: every project of the organisation')
    .option('--json', 'print JSON, with the secret')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge application create gateway-7',
          'databridge application create gateway-7 --organisation north-works \\\n--project pump-hall press-line',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/application.ts')).applicationCreate));
}

function addList(application: Command): void {
  application
    .command('list')
    .description('list applications with their projects and their state')
    .option('--limit <number>', 'applications shown', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge application list', 'databridge application list --json'],
        notes: [
          'last push: told a few seconds later.',
          'last token: when the application last created a token; renewals do not count.',
          'refused: readings of the last 24 hours that were refused; databridge application refusals ID lists them.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/application.ts')).applicationList));
}

function addShow(application: Command): void {
  application
    .command('show <id>')
    .description('show an application with its pushes and refused readings')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge application show app_0123456789abcdef0123'],
        notes: [
          'accepted, duplicates, revised, bytes: of all its pushes, told a few seconds later; a killed process loses those of its last seconds. bytes: of bodies after unpacking.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/application.ts')).applicationShow));
}

function addRefusals(application: Command): void {
  application
    .command('refusals <id>')
    .description('list pushed readings that were refused, by reason and sensor')
    .addOption(new Option('--reason <reason>', 'only refusals of this reason').choices(Object.keys(REFUSALS)))
    .option('--sensor <id>', 'only kept readings of this sensorId')
    .option('--from <time>', 'only kept readings from here on: an instant, a day, or a duration before now')
    .option('--to <time>', 'only kept readings before this, as --from')
    .option('--limit <number>', 'variables shown, those with most kept readings first', wholeNumber, 50)
    .option('--json', 'print JSON, with up to three values of each variable')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge application refusals app_0123456789abcdef0123',
          'databridge application refusals app_0123456789abcdef0123 \\\n--reason same-instant --json',
        ],
        notes: [
          'Every refusal that a client was told is counted; a reading that is sent and refused again counts again, and is kept once. Several values for one instant are kept one by one. For each project, reason and hour about 1,000 readings are kept with their value, of each body the first 20 of a reason.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/application.ts')).applicationRefusals));
}

function addRotate(application: Command): void {
  application
    .command('rotate <id>')
    .description('give an application a new secret and show it, once')
    .option('--overlap-hours <hours>', 'hours for which the old secret stays valid, 0 to 720', '24')
    .option('--json', 'print JSON, with the secret')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge application rotate app_0123456789abcdef0123',
          'databridge application rotate app_0123456789abcdef0123 --overlap-hours 0',
        ],
        notes: ['After a leak use --overlap-hours 0: the old secret and all refresh tokens end at once.'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/application.ts')).applicationRotate));
}
