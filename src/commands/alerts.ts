import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumberUpTo } from './options.ts';
import { whenRun } from './when-run.ts';

const MOST_ALERTS = 10_000;

export function addAlerts(program: Command): void {
  const alerts = program
    .command('alerts')
    .description('the troubles that somebody is told of: list, acknowledge, mute, and try the targets')
    .addHelpText('after', helpBelow({ examples: ['databridge alerts list', 'databridge alerts test'] }));
  alerts
    .command('list')
    .description('list open alerts, the newest first, and the targets that they are told to')
    .option('--all', 'also those that ended')
    .option('--kind <kind>', 'only of this kind, such as behind')
    .option('--limit <number>', `alerts shown, at most ${MOST_ALERTS}`, wholeNumberUpTo(MOST_ALERTS), 200)
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge alerts list', 'databridge alerts list --all --json'] }))
    .action(whenRun(async () => (await import('./actions/alerts.ts')).alertsList));
  alerts
    .command('ack <alert> [subject]')
    .description(
      'note that you look after an alert, by its number or by its kind and subject; doctor is silent about it then',
    )
    .option('--note <text>', 'what you found or do')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge alerts ack 12', 'databridge alerts ack behind hall-3 --note "line is down"'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/alerts.ts')).alertsAck));
  alerts
    .command('mute <alert> [subject]')
    .description('tell nobody of an alert, by its number or by its kind and subject, for a while')
    .requiredOption('--for <length>', 'how long, such as 2h or 3d; 0s ends it')
    .option('--sensor <sensor>', 'with silent and a source: only of this sensor, also before it is silent')
    .option('--reason <text>', 'with --sensor: why, for those who look at the sensor later')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge alerts mute 12 --for 2h',
          'databridge alerts mute silent hall-3 --for 3d',
          'databridge alerts mute silent hall-3 --sensor pump-7 --for 30d --reason "pump is away for repair"',
        ],
        notes: [
          'A target that was told of the alert before is told of its end all the same.',
          'A muted sensor counts in no alert; source list, why and newest show it as silent, with the reason. A mute ends after a year at most.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/alerts.ts')).alertsMute));
  alerts
    .command('test [target]')
    .description('send a test message to each target now, and say what came back')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge alerts test', 'databridge alerts test shift-mail'],
        exitCodes: '0 every target took it, 1 one did not, 2 the file of DATABRIDGE_ALERTS has a fault or no target',
      }),
    )
    .action(whenRun(async () => (await import('./actions/alerts.ts')).alertsTest));
}
