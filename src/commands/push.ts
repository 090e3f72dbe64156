import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseDuration } from '../core/duration.ts';
import { MILLISECOND } from '../core/instant.ts';
import { API_PORT } from '../settings-port.ts';
import { FORMATS } from '../upload/format.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

function durationMs(text: string): number {
  const duration = text === '0' ? 0 : parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('It is a length of time like 15m, 2h or 0.');
  return duration / MILLISECOND;
}

const NOTES = `Formats: ndjson (one JSON object a line) and csv with a heading
(sensorId,valueName,date,value,precision,labels in any order; labels joined by ;), as databridge readings
prints them. jq -c '.[]' FILE turns a JSON array into ndjson. Nothing is coerced: a value that is not a number is
refused, and the other readings are stored.

Sending readings twice is harmless: the service counts them as duplicates. Ctrl-C finishes the request under way.
Exit code: 0 the service took everything, 1 a reading was refused or not sent, 2 wrong usage or credentials.`;

const DEFAULT_URL = `http://127.0.0.1:${API_PORT}`;

/** Every answer costs the service a disk flush, so a request holds thousands of readings; a repeat is still quick. */
const BATCH = 5_000;

export function addPushCommand(program: Command): void {
  program
    .command('push <file>')
    .description('send a file of readings (or - for standard input) to a bridge; needs neither database nor home')
    .requiredOption('--project <code>', 'ML project the readings are for')
    .option('--organisation <id>', 'organisation that owns it', 'default')
    .addOption(
      new Option('--url <url>', 'address of the API, without /v0').env('DATABRIDGE_PUSH_URL').default(DEFAULT_URL),
    )
    .addOption(new Option('--application <id>', 'application that pushes').env('DATABRIDGE_APPLICATION_ID'))
    .option(
      '--secret-file <file>',
      'file with the secret of the application; default: DATABRIDGE_APPLICATION_SECRET of the environment',
    )
    .addOption(
      new Option('--format <format>', 'default: by the name of the file, otherwise by its first character').choices(
        FORMATS,
      ),
    )
    .option(
      '--batch <number>',
      'a request holds at most this many readings; halved where the service takes fewer',
      wholeNumber,
      BATCH,
    )
    .option(
      '--resume',
      'go on where an interrupted push of this file stopped; without such a push, begin at the beginning',
    )
    .option('--restart', 'begin at the beginning although a push of this file was interrupted')
    .option('--from-line <number>', 'leave out the records before this line of the file', wholeNumber)
    .option('--state <file>', 'file that keeps the progress; default: FILE.databridge-push')
    .option('--refused <file>', 'file that takes every refused reading, as NDJSON')
    .option(
      '--give-up-after <duration>',
      'try again for at most this long while the service is away or busy; 0: never',
      durationMs,
      900_000,
    )
    .option('--dry-run', 'judge the readings by the rules of the service, and send nothing')
    .option('--json', 'print one JSON summary')
    .addHelpText(
      'after',
      `\nExamples:\n  $ databridge push november.csv --project pump-hall\n  $ databridge push november.csv --project pump-hall --dry-run\n  $ databridge push huge.ndjson --project pump-hall --resume --refused refused.ndjson\n  $ databridge readings pump-hall --from 1d --format ndjson | databridge push - --project copy --url https://bridge.example\n\n${NOTES}`,
    )
    .action(whenRun(async () => (await import('./actions/push.ts')).push));
}
