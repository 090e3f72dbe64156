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
import { localJudge } from '../upload/judge.ts';
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

/** A durable answer costs the service a disk flush, so some thousands at a time; a repeat is still a matter of moments. */
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
    .option('--secret-file <file>', `file with its secret; without it ${SECRET} of the environment`)
    .addOption(
      new Option('--format <format>', 'default: by the name of the file, otherwise by its first character').choices(
        FORMATS,
      ),
    )
    .option(
      '--batch <number>',
      'most readings in a request; halved by itself where the service wants less',
      wholeNumber,
      BATCH,
    )
    .option('--resume', 'go on where an interrupted push of this file stopped; from the beginning where there is none')
    .option('--restart', 'begin anew although a push of this file was interrupted')
    .option('--from-line <number>', 'begin with this line of the file', wholeNumber)
    .option('--state <file>', 'where progress is kept; default: FILE.databridge-push')
    .option('--refused <file>', 'write every refused reading there, as NDJSON')
    .option(
      '--give-up-after <duration>',
      'how long to try again while the service is away or busy; 0: not at all',
      lasting,
      900_000,
    )
    .option('--dry-run', 'read and judge here, send nothing')
    .option('--json', 'print one JSON summary')
    .addHelpText(
      'after',
      `\nExamples:\n  $ databridge push november.csv --project pump-hall\n  $ databridge push november.csv --project pump-hall --dry-run\n  $ databridge push huge.ndjson --project pump-hall --resume --refused refused.ndjson\n  $ databridge readings pump-hall --from 1d --format ndjson | databridge push - --project copy --url https://bridge.example\n\n${NOTES}`,
    )
    .action(async (file: string, options: PushOptions) => {
      await push(file, options);
    });
}

const NOTES = `Formats: ndjson (a JSON object a line), json (one array) and csv with a heading
(sensorId,valueName,date,value,precision,labels in any order; labels joined by ;), as databridge readings
prints them. Nothing is coerced: a value that is not a number is refused, the others are stored.

Sending readings twice is harmless, they are counted as duplicates. Ctrl-C finishes the request under way.
Exit code: 0 everything was taken, 1 something was refused or not sent, 2 wrong usage or credentials.`;

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
      'databridge application create NAME, where the bridge is, makes one; give its id by --application or DATABRIDGE_APPLICATION_ID',
      '--application',
    );
  }
  const applicationSecret = secretFile === undefined ? (process.env[SECRET] ?? '') : secretIn(secretFile);
  if (applicationSecret === '') {
    const given = secretFile === undefined ? `${SECRET} is not set` : `${secretFile} is empty`;
    throw configInvalid(given, `put the secret of the application into ${SECRET}, or into a file for --secret-file`);
  }
  warnOfPlain(url);
  const remote: Remote = { baseUrl: url, organisation, applicationId: application, applicationSecret };
  try {
    return openPushClient(remote, { userAgent: `databridge/${VERSION}` });
  } catch (error) {
    throw configInvalid((error as Error).message, `write it like ${DEFAULT_URL}`, '--url');
  }
}

function warnOfPlain(url: string): void {
  if (!travelsInClear(url)) return;
  process.stderr.write('the address begins with http://: secret and readings travel in clear, for everybody to read\n');
}

function secretIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw configInvalid(`${path} cannot be read: ${(error as Error).message}`, 'name a file that can', '--secret-file');
  }
}

function lasting(text: string): number {
  const duration = text === '0' ? 0 : parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('It is a length of time like 15m, 2h or 0.');
  return duration / MILLISECOND;
}

/** A fault of the push in the words of this program: 2 is the exit code where a person has to give something else. */
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
  'credentials-rejected': `check --application and the secret; databridge application list shows whether it was revoked, rotate gives a new secret`,
  forbidden: 'check --organisation and --project, or use an application that may push there',
  'unknown-target':
    'check --url, --organisation and --project; the operator issues project codes (databridge project create)',
  unreachable: 'check --url and that the bridge runs (databridge up), then push again; --give-up-after waits longer',
  overloaded: 'push again later; --give-up-after waits longer',
  failed: 'look at the log of the bridge, then push again',
  'too-large': 'push with a smaller --batch',
  rejected: 'this is a mistake of this program or of what stands between: please report it',
  'not-a-bridge': 'check --url: something else answers there, such as a proxy or a page to log in',
};
