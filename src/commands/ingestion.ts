import type { Command } from 'commander';
import { addIngestionRefusals } from './ingestion-refusals.ts';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addIngestion(program: Command): void {
  const ingestion = program
    .command('ingestion')
    .description('where the readings of a project go: to this bridge alone, or also to another service')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge ingestion push pump-hall --url https://ingest.example',
          'databridge ingestion list',
          'databridge ingestion store pump-hall',
        ],
      }),
    );
  addPush(ingestion);
  ingestion
    .command('store <project>')
    .description('keep the readings of a project here only, from now on')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--discard', 'give up readings that are not delivered yet; they stay stored here')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge ingestion store pump-hall', 'databridge ingestion store pump-hall --discard'],
        notes: ['Without --discard this is an error while readings wait to be delivered.'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/ingestion.ts')).ingestionStore));
  ingestion
    .command('resume <project>')
    .description('go on with a delivery that stopped, or that waits before it tries again')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge ingestion resume pump-hall'] }))
    .action(whenRun(async () => (await import('./actions/ingestion.ts')).ingestionResume));
  addList(ingestion);
  addIngestionRefusals(ingestion);
}

function addPush(ingestion: Command): void {
  ingestion
    .command('push <project>')
    .description('also push the readings that a project stores from now on to another service, in their order')
    .requiredOption('--url <url>', 'address of the service, without /v0')
    .option('--organisation <id>', 'organisation that owns the project here', 'default')
    .option('--remote-organisation <id>', 'organisation at the service', 'default')
    .option('--remote-project <code>', 'project code at the service; default: the same as here')
    .option('--application <id>', 'application at the service; default: DATABRIDGE_APPLICATION_ID')
    .option(
      '--secret <reference>',
      "'${env:NAME}' or '${file:/path}', stored as it stands; default: DATABRIDGE_APPLICATION_SECRET, stored sealed",
    )
    .option(
      '--most-waiting <readings>',
      'readings that may wait; when more wait, no source of the project is asked until half of them are delivered',
      wholeNumber,
      10_000_000,
    )
    .option('--no-check', 'save the settings without asking the service')
    .option('--allow-plain', 'allow http:// to another host: secret and readings travel in clear')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'DATABRIDGE_APPLICATION_SECRET=… databridge ingestion push pump-hall \\\n--url https://ingest.example --application app_0123456789abcdef0123',
          "databridge ingestion push pump-hall --url https://ingest.example \\\n--application app_0123456789abcdef0123 \\\n--secret '${file:/run/secrets/ingest}'",
        ],
        notes: [
          'Readings stay stored here too. Readings that were stored before are not sent: databridge readings … | databridge push - sends them.',
          'To change address, application or secret, give the command again.',
        ],
        exitCodes: '0 the settings are saved, 1 the service cannot be reached, 2 wrong settings or credentials',
      }),
    )
    .action(whenRun(async () => (await import('./actions/ingestion.ts')).ingestionPush));
}

function addList(ingestion: Command): void {
  ingestion
    .command('list')
    .description('list projects: where their readings go, how many wait to be delivered, and the last fault')
    .option('--limit <number>', 'projects shown', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge ingestion list', 'databridge ingestion list --json'],
        notes: [
          'waiting: readings in the outbox. oldest: when the oldest of them was stored. 24h: readings sent in the last 24 hours. refused: those of them that the service refused.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/ingestion.ts')).ingestionList));
}
