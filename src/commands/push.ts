import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { PushError, openPushClient } from '../client/index.ts';
import type { PushClient, PushFault, Remote } from '../client/index.ts';
import { parseDuration } from '../core/duration.ts';
import { BridgeError, configInvalid } from '../core/errors.ts';
import { MILLISECOND } from '../core/instant.ts';
import { apiFields } from '../settings-api.ts';
import { VERSION } from '../version.ts';
import { EXIT } from '../terminal/output.ts';
import { FORMATS } from '../upload/file.ts';
import type { Format } from '../upload/file.ts';
import { localJudge } from '../upload/dry-run.ts';
import { runPush } from '../upload/run.ts';
import { printSummary, printSummaryJson } from '../upload/summary.ts';
import { travelsInClear, wholeNumber } from './options.ts';
import { untilStopped } from './stop.ts';

interface PushOptions {
  readonly url: string;
  readonly organisation: string;
  readonly project: string;
  readonly application?: string;
  readonly secretFile?: string;
  readonly format?: Format;
  readonly batch: number;
  readonly fromLine?: number;
  readonly resume?: boolean;
  readonly restart?: boolean;
  readonly state?: string;
  readonly refused?: string;
  readonly giveUpAfter: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Every answer costs the service a disk flush, so a request holds thousands of readings; a repeat is still quick. */
const BATCH = 5_000;

const SECRET = 'DATABRIDGE_APPLICATION_SECRET';
const DEFAULT_URL = `http://127.0.0.1:${apiFields.DATABRIDGE_API_PORT.parse(undefined)}`;

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
    .option('--secret-file <file>', `file with the secret of the application; default: ${SECRET} of the environment`)
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
    .action(async (file: string, options: PushOptions) => {
      await push(file, options);
    });
}

const NOTES = `Formats: ndjson (one JSON object a line) and csv with a heading
(sensorId,valueName,date,value,precision,labels in any order; labels joined by ;), as databridge readings
prints them. jq -c '.[]' FILE turns a JSON array into ndjson. Nothing is coerced: a value that is not a number is
refused, and the other readings are stored.

Sending readings twice is harmless: the service counts them as duplicates. Ctrl-C finishes the request under way.
Exit code: 0 the service took everything, 1 a reading was refused or not sent, 2 wrong usage or credentials.`;

async function push(file: string, options: PushOptions): Promise<void> {
  const target = { url: options.url.replace(/\/+$/, ''), organisation: options.organisation, project: options.project };
  const client = options.dryRun ? localJudge : clientOf(options);
  const { signal } = untilStopped();
  const { summary, error } = await runPush(
    { file, target, client, stop: signal, dryRun: options.dryRun ?? false, json: options.json ?? false },
    options,
  );
  if (options.json) printSummaryJson(summary);
  else if (error === undefined || summary.counts.read > 0) printSummary(summary);
  if (error !== undefined) throw explained(error, target.url);
  if (!summary.finished || summary.counts.refused > 0) process.exitCode = EXIT.failed;
}

function clientOf({ url, organisation, application, secretFile }: PushOptions): PushClient {
  if (!application) {
    throw configInvalid(
      'no application is named',
      'databridge application create NAME, on the host of the bridge, makes one; give its id by --application or DATABRIDGE_APPLICATION_ID',
      '--application',
    );
  }
  const applicationSecret = secretFile === undefined ? (process.env[SECRET] ?? '') : secretIn(secretFile);
  if (applicationSecret === '') {
    const given = secretFile === undefined ? `${SECRET} is not set` : `${secretFile} is empty`;
    throw configInvalid(given, `put the secret of the application into ${SECRET}, or into a file for --secret-file`);
  }
  warnOfPlainHttp(url);
  const remote: Remote = { baseUrl: url, organisation, applicationId: application, applicationSecret };
  try {
    return openPushClient(remote, { userAgent: `databridge/${VERSION}` });
  } catch (error) {
    throw configInvalid((error as Error).message, `write it like ${DEFAULT_URL}`, '--url');
  }
}

function warnOfPlainHttp(url: string): void {
  if (!travelsInClear(url)) return;
  process.stderr.write(
    'the address begins with http://: secret and readings travel in clear, and every host on the way can read them\n',
  );
}

function secretIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw configInvalid(`${path} cannot be read: ${(error as Error).message}`, 'name a file that can', '--secret-file');
  }
}

function durationMs(text: string): number {
  const duration = text === '0' ? 0 : parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('It is a length of time like 15m, 2h or 0.');
  return duration / MILLISECOND;
}

/** A fault of the push as an error of this program. `config-invalid` (exit code 2) asks for another option or secret. */
function explained(error: unknown, url: string): unknown {
  if (!(error instanceof PushError)) return error;
  const { fault, message } = error;
  const remedy = REMEDIES[fault.code];
  switch (fault.code) {
    case 'credentials-rejected':
    case 'forbidden':
    case 'unknown-target':
      return configInvalid(message, remedy);
    case 'unreachable':
    case 'overloaded':
    case 'failed':
      return new BridgeError({ code: 'unavailable', why: 'status' }, message, { remedy });
    case 'too-large':
      return new BridgeError({ code: 'too-much' }, message, { remedy });
    case 'rejected':
    case 'not-a-bridge':
      return new BridgeError({ code: 'contract-broken' }, `${message} (${url})`, { remedy });
  }
}

const REMEDIES: Readonly<Record<PushFault['code'], string>> = {
  'credentials-rejected': `check --application and the secret; databridge application list shows whether it was revoked, and databridge application rotate gives a new secret`,
  forbidden: 'check --organisation and --project, or use an application that may push there',
  'unknown-target':
    'check --url, --organisation and --project; the operator issues project codes (databridge project create)',
  unreachable: 'check --url and that the bridge runs (databridge up), then push again; --give-up-after waits longer',
  overloaded: 'push again later; --give-up-after waits longer',
  failed: 'read the log of the bridge, then push again',
  'too-large': 'push with a smaller --batch',
  rejected: 'this is a mistake of databridge or of a proxy on the way: please report it',
  'not-a-bridge': 'check --url: another server answers there, such as a proxy or a login page',
};
