import { readFileSync } from 'node:fs';
import { PushError, openPushClient } from '../../client/index.ts';
import type { PushClient, PushFault, Remote } from '../../client/index.ts';
import { BridgeError, configInvalid } from '../../core/errors.ts';
import { outgoingFetch } from '../../platform/connection/outgoing.ts';
import { readSettings } from '../../settings.ts';
import { API_PORT } from '../../settings-port.ts';
import { VERSION } from '../../version.ts';
import { EXIT, exitCodeOfInterruption } from '../../terminal/output.ts';
import { freshLine } from '../../terminal/screen.ts';
import type { Format } from '../../upload/format.ts';
import { localJudge } from '../../upload/dry-run.ts';
import { runPush } from '../../upload/run.ts';
import { printSummary, printSummaryJson } from '../../upload/summary.ts';
import { travelsInClear } from '../options.ts';
import { interruptible } from './stop.ts';

const SECRET = 'DATABRIDGE_APPLICATION_SECRET';

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

/** `push`. */
export async function push(file: string, options: PushOptions): Promise<void> {
  const target = { url: options.url.replace(/\/+$/, ''), organisation: options.organisation, project: options.project };
  const client = options.dryRun ? localJudge : clientOf(options);
  const task = { file, target, client, dryRun: options.dryRun ?? false, json: options.json ?? false };
  let interrupted = false;
  const { summary, error } = await interruptible('', async (stop) => {
    const ended = await runPush({ ...task, stop }, options);
    interrupted = stop.aborted;
    return ended;
  });
  if (interrupted) freshLine(process.stderr);
  if (options.json) printSummaryJson(summary);
  else if (error === undefined || summary.counts.read > 0) printSummary(summary);
  if (error !== undefined) throw explained(error, target.url);
  if (!summary.finished && interrupted) process.exitCode = exitCodeOfInterruption();
  else if (!summary.finished || summary.counts.refused > 0) process.exitCode = EXIT.failed;
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
    // The operator names this address now, so the list of hosts for sources does not bound it.
    const { proxy } = readSettings(process.env).egress;
    const fetch = outgoingFetch({ allowHosts: undefined, proxy });
    return openPushClient(remote, { fetch, userAgent: `databridge/${VERSION}` });
  } catch (error) {
    throw configInvalid((error as Error).message, `write it like http://127.0.0.1:${API_PORT}`, '--url');
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

/** A fault of the push as an error of this program. `config-invalid` (exit code 2) asks for another option or secret. */
function explained(error: unknown, url: string): unknown {
  if (!(error instanceof PushError)) return error;
  const { fault, message } = error;
  // The guard and the proxy name a remedy of their own.
  if (error.cause instanceof BridgeError) return error.cause;
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
