import { instantOrNull } from '../../core/instant.ts';
import { configInvalid } from '../../core/errors.ts';
import { parseReference } from '../../core/source/reference.ts';
import { checkRemote } from '../../delivery/check.ts';
import { ingestionDocument, listIngestions, removeRemote, resumeRemote, setRemote } from '../../delivery/remote.ts';
import type { IngestionLine } from '../../delivery/remote.ts';
import { outgoingFetch } from '../../platform/connection/outgoing.ts';
import { readSettings } from '../../settings.ts';
import { withContext } from '../../context.ts';
import type { Cell } from '../../terminal/output.ts';
import { actor, printJson, printLine, printList } from '../../terminal/output.ts';
import { travelsInClear } from '../options.ts';
import { short } from '../../terminal/words.ts';

/** `ingestion store`. */
export async function ingestionStore(
  code: string,
  options: Owner & { discard?: boolean; json?: boolean },
): Promise<void> {
  const project = { organisation: options.organisation, code };
  const discarded = await withContext(({ database }) =>
    removeRemote(database, project, { discard: options.discard === true }, actor()),
  );
  if (options.json) printJson({ project: code, ingestion: 'store', discarded: discarded ?? 0 });
  else printLine(`readings of ${code} stay here only${discarded === undefined ? ', as before' : ' from now on'}`);
}

/** `ingestion resume`. */
export async function ingestionResume(code: string, options: Owner & { json?: boolean }): Promise<void> {
  const project = { organisation: options.organisation, code };
  const resumed = await withContext(({ database }) => resumeRemote(database, project, actor()));
  if (!resumed)
    throw configInvalid(
      `readings of ${code} are not pushed`,
      `databridge ingestion push ${code} --url URL pushes them`,
    );
  if (options.json) printJson({ project: code, resumed });
  else printLine(`delivery of ${code} goes on`);
}

interface Owner {
  readonly organisation: string;
}

interface PushOptions extends Owner {
  readonly url: string;
  readonly remoteOrganisation: string;
  readonly remoteProject?: string;
  readonly application?: string;
  readonly secret?: string;
  readonly mostWaiting: number;
  readonly check: boolean;
  readonly allowPlain?: boolean;
  readonly json?: boolean;
}

/** `ingestion push`. */
export async function ingestionPush(code: string, options: PushOptions): Promise<void> {
  const shown = {
    url: options.url,
    organisation: options.remoteOrganisation,
    code: options.remoteProject ?? code,
    applicationId: applicationOf(options),
    mostWaiting: options.mostWaiting,
  };
  const settings = { ...shown, secret: secretOf(options) };
  if (!options.allowPlain) assertPrivate(options.url);
  if (options.check) await checkRemote(settings, outgoingFetch(readSettings(process.env).egress));
  const project = { organisation: options.organisation, code };
  await withContext(({ database, sealing }) => setRemote(database, sealing, project, settings, actor()));
  if (options.json) printJson({ project: code, ingestion: 'push', checked: options.check, remote: shown });
  else printLine(`readings of ${code} are pushed to ${settings.url}${options.check ? ', which answers' : ''}`);
}

function assertPrivate(url: string): void {
  if (!travelsInClear(url)) return;
  throw configInvalid(
    '--url begins with http://, so secret and readings would travel in clear',
    'give an https:// address, or --allow-plain on a private network',
    'url',
  );
}

function applicationOf({ application = process.env['DATABRIDGE_APPLICATION_ID'] }: PushOptions): string {
  if (application) return application;
  throw configInvalid('no application is given', 'give --application, or set DATABRIDGE_APPLICATION_ID', 'application');
}

function secretOf({ secret }: PushOptions): string {
  const remedy = "set DATABRIDGE_APPLICATION_SECRET, or give --secret '${env:NAME}' or '${file:/path}'";
  if (secret !== undefined) {
    if (parseReference(secret) !== undefined) return secret;
    throw configInvalid(
      '--secret is not a reference; other users of this host can read a secret on the command line',
      remedy,
      'secret',
    );
  }
  const given = process.env['DATABRIDGE_APPLICATION_SECRET'];
  if (given) return given;
  throw configInvalid('no secret is given', remedy, 'secret');
}

/** `ingestion list`. */
export async function ingestionList(options: { limit?: number; json?: boolean }): Promise<void> {
  const lines = await withContext(({ database }) => listIngestions(database));
  if (options.json) printJson(lines.slice(0, options.limit).map(ingestionDocument));
  else if (lines.length === 0) printLine('no projects yet; databridge project create CODE creates one');
  else printList(HEADING, lines.map(cells), { noun: ['project'], limit: options.limit });
}

const HEADING = [
  'project',
  'ingestion',
  'to',
  'state',
  'waiting',
  'oldest',
  'last delivery',
  '24h',
  'refused',
  'fault',
];

const FAULT_LENGTH = 60;

const cells = (line: IngestionLine): Cell[] => [
  line.project,
  line.ingestion,
  line.url === null ? null : `${line.url} ${line.remoteOrganisation}/${line.remoteProject}`,
  line.fullSince === null ? line.state : `${line.state}, full`,
  line.waiting,
  instantOrNull(line.oldestAt),
  instantOrNull(line.lastDeliveryAt),
  line.delivered24h,
  line.refused24h,
  line.fault === null ? '' : short(line.fault.message, FAULT_LENGTH),
];
