import type { Command } from 'commander';
import { configInvalid } from '../core/errors.ts';
import { parseReference } from '../core/source/reference.ts';
import { checkRemote } from '../delivery/check.ts';
import { listIngestions, removeRemote, resumeRemote, setRemote } from '../delivery/remote.ts';
import type { IngestionLine } from '../delivery/remote.ts';
import { withContext } from '../context.ts';
import { addIngestionRefusals } from './ingestion-refusals.ts';
import type { Cell } from '../terminal/output.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';
import { travelsInClear, wholeNumber } from './options.ts';
import { instantOrNull, short } from '../terminal/words.ts';

export function addIngestion(program: Command): void {
  const ingestion = program
    .command('ingestion')
    .description('what takes the readings of a project: this bridge alone, or also a service they are pushed to');
  addPush(ingestion);
  ingestion
    .command('store <project>')
    .description('keep the readings of a project here only, from now on')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--discard', 'give up what is not delivered yet; it stays stored here')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ databridge ingestion store pump-hall')
    .action(async (code: string, options: Owner & { discard?: boolean; json?: boolean }) => {
      const project = { organisation: options.organisation, code };
      const discarded = await withContext({ patient: false }, ({ database }) =>
        removeRemote(database, project, { discard: options.discard === true }, actor()),
      );
      if (options.json) printJson({ project: code, ingestion: 'store', discarded: discarded ?? 0 });
      else printLine(discarded === undefined ? `${code} was stored here only` : `${code} is stored here only`);
    });
  ingestion
    .command('resume <project>')
    .description('deliver again after a stop, or at once instead of after a wait')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--json', 'print JSON')
    .action(async (code: string, options: Owner & { json?: boolean }) => {
      const project = { organisation: options.organisation, code };
      const resumed = await withContext({ patient: false }, ({ database }) => resumeRemote(database, project, actor()));
      if (!resumed) throw configInvalid(`${code} is pushed nowhere`, 'databridge ingestion push sets where to');
      if (options.json) printJson({ project: code, resumed });
      else printLine(`delivery of ${code} goes on`);
    });
  addList(ingestion);
  addIngestionRefusals(ingestion);
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

function addPush(ingestion: Command): void {
  ingestion
    .command('push <project>')
    .description('push what a project takes from now on to another service as well, in order and until it is there')
    .requiredOption('--url <url>', 'address of the service: what stands before /v0')
    .option('--organisation <id>', 'organisation that owns the project here', 'default')
    .option('--remote-organisation <id>', 'organisation there', 'default')
    .option('--remote-project <code>', 'project code there; the same as here unless given')
    .option('--application <id>', 'application there; DATABRIDGE_APPLICATION_ID unless given')
    .option(
      '--secret <reference>',
      "'${env:X}' or '${file:/path}'; otherwise DATABRIDGE_APPLICATION_SECRET is sealed and kept",
    )
    .option(
      '--most-waiting <readings>',
      'readings that may wait; with more, sources are not asked',
      wholeNumber,
      10_000_000,
    )
    .option('--no-check', 'save it without asking the service')
    .option('--allow-plain', 'plain http:// to another host: secret and readings travel in clear')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExamples:\n  $ DATABRIDGE_APPLICATION_SECRET=… databridge ingestion push pump-hall --url https://ingest.example --application app_0123456789abcdef0123\n  $ databridge ingestion push pump-hall --url https://ingest.example --application app_0123456789abcdef0123 --secret '\${file:/run/secrets/ingest}'\n\nReadings stay stored here too. What was stored before is not sent: databridge readings … | databridge push - does that.\nGive it again to change address, application or secret.`,
    )
    .action(async (code: string, options: PushOptions) => {
      const shown = {
        url: options.url,
        organisation: options.remoteOrganisation,
        code: options.remoteProject ?? code,
        applicationId: applicationOf(options),
        mostWaiting: options.mostWaiting,
      };
      const settings = { ...shown, secret: secretOf(options) };
      if (!options.allowPlain) assertPrivate(options.url);
      if (options.check) await checkRemote(settings);
      const project = { organisation: options.organisation, code };
      await withContext({ patient: false }, ({ database, sealing }) =>
        setRemote(database, sealing, project, settings, actor()),
      );
      if (options.json) printJson({ project: code, ingestion: 'push', checked: options.check, remote: shown });
      else printLine(`${code} is pushed to ${settings.url}${options.check ? ', which answers' : ''}`);
    });
}

function assertPrivate(url: string): void {
  if (!travelsInClear(url)) return;
  throw configInvalid(
    '--url begins with http://: secret and readings would travel in clear',
    'give an https:// address, or --allow-plain where the network is private',
    'url',
  );
}

function applicationOf({ application = process.env['DATABRIDGE_APPLICATION_ID'] }: PushOptions): string {
  if (application) return application;
  throw configInvalid('no application is given', 'give --application, or set DATABRIDGE_APPLICATION_ID', 'application');
}

function secretOf({ secret }: PushOptions): string {
  const remedy = "set DATABRIDGE_APPLICATION_SECRET, or give --secret '${env:X}' or '${file:/path}'";
  if (secret !== undefined) {
    if (parseReference(secret) !== undefined) return secret;
    throw configInvalid(
      '--secret is no reference; a secret on the command line can be seen by others',
      remedy,
      'secret',
    );
  }
  const given = process.env['DATABRIDGE_APPLICATION_SECRET'];
  if (given) return given;
  throw configInvalid('no secret is given', remedy, 'secret');
}

function addList(ingestion: Command): void {
  ingestion
    .command('list')
    .description('list projects: where their readings go, what waits to be delivered and what hinders it')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const lines = await withContext({ patient: false }, ({ database }) => listIngestions(database));
      if (options.json) printJson(lines.map(document));
      else if (lines.length === 0) printLine('no projects yet; databridge project create CODE makes one');
      else printLine(table(HEADING, lines.map(cells)));
    });
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

const document = (line: IngestionLine): Record<string, unknown> => ({
  ...line,
  oldestAt: instantOrNull(line.oldestAt),
  fullSince: instantOrNull(line.fullSince),
  heldUntil: instantOrNull(line.heldUntil),
  lastDeliveryAt: instantOrNull(line.lastDeliveryAt),
});
