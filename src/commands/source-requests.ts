import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addSourceRequests(source: Command): void {
  source
    .command('requests')
    .description('show the requests that each platform host got in the last hour, against the pace')
    .option('--json', 'print JSON, with the sources of each host and the kinds of requests')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source requests', 'databridge source requests --json'],
        notes: [
          'A host is the origin of connection.url; all sources that ask it add up, over all organisations. The host closest to its pace comes first.',
          'hour: every request of the last hour that took a slot of the pace, also failed ones, logins and looks for sensors. min: the fullest minute. sec: the most that the paces and bursts let leave in one second. allowed: pace.requestsPerSecond of its sources together for an hour, or the pace of the host (DATABRIDGE_HOST_PACES) where that is less. failed: no answer, or a status from 400 on.',
          'A check, preview or search of a registered source by its name counts, too; one of a file says its requests itself. Those of removed sources are not counted. Logins count for the host of the source, also where another server gives the tokens.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-requests.ts')).sourceRequests));
}
