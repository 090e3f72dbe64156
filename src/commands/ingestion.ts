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
import { helpBelow } from './help.ts';
import { travelsInClear, wholeNumber } from './options.ts';
import { instantOrNull, short } from '../terminal/words.ts';

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
    .action(async (code: string, options: Owner & { discard?: boolean; json?: boolean }) => {
      const project = { organisation: options.organisation, code };
      const discarded = await withContext({ patient: false }, ({ database }) =>
        removeRemote(database, project, { discard: options.discard === true }, actor()),
      );
      if (options.json) printJson({ project: code, ingestion: 'store', discarded: discarded ?? 0 });
      else printLine(`readings of ${code} stay here only${discarded === undefined ? ', as before' : ' from now on'}`);
    });
  ingestion
    .command('resume <project>')
    .description('go on with a delivery that stopped, or that waits before it tries again')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge ingestion resume pump-hall'] }))
    .action(async (code: string, options: Owner & { json?: boolean }) => {
      const project = { organisation: options.organisation, code };
      const resumed = await withContext({ patient: false }, ({ database }) => resumeRemote(database, project, actor()));
      if (!resumed)
        throw configInvalid(
          `readings of ${code} are not pushed`,
          `databridge ingestion push ${code} --url URL pushes them`,
        );
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
      else printLine(`readings of ${code} are pushed to ${settings.url}${options.check ? ', which answers' : ''}`);
    });
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

function addList(ingestion: Command): void {
  ingestion
    .command('list')
    .description('list projects: where their readings go, how many wait to be delivered, and the last fault')
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
    .action(async (options: { json?: boolean }) => {
      const lines = await withContext({ patient: false }, ({ database }) => listIngestions(database));
      if (options.json) printJson(lines.map(document));
      else if (lines.length === 0) printLine('no projects yet; databridge project create CODE creates one');
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
