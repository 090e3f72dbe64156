import { Option } from 'commander';
import type { Command } from 'commander';
import { createApplication, listApplications, revokeApplication, rotateSecret } from '../access/applications.ts';
import type { Application } from '../access/applications.ts';
import { formatInstant } from '../core/instant.ts';
import { REFUSALS } from '../core/reading.ts';
import { pushRefusalsOf } from '../ingest/pushed-refusals.ts';
import { withContext } from '../context.ts';
import type { Cell } from '../terminal/output.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';
import { instantOrNull } from '../terminal/words.ts';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { printRefusals } from './refusals.ts';

export function addApplication(program: Command): void {
  const application = program
    .command('application')
    .description('applications: clients that may push readings, each with an id and a secret')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge application create gateway-7', 'databridge application list'] }),
    );
  addCreate(application);
  addList(application);
  addRotate(application);
  addRefusals(application);
  application
    .command('revoke <id>')
    .description('end an application: its secrets and tokens are refused within seconds')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge application revoke app_0123456789abcdef0123'] }))
    .action(async (id: string, options: { json?: boolean }) => {
      const revoked = await withContext({ patient: false }, ({ database }) => revokeApplication(database, id, actor()));
      if (options.json) printJson({ applicationId: id, revoked });
      else printLine(revoked ? `application ${id} revoked` : `application ${id} was revoked already`);
    });
}

function addCreate(application: Command): void {
  application
    .command('create <name>')
    .description('create an application and show its secret, once')
    .option('--organisation <id>', 'organisation it pushes for', 'default')
    .option('--project <code...>', 'the only projects it may push to; default: every project of the organisation')
    .option('--json', 'print JSON, with the secret')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge application create gateway-7',
          'databridge application create gateway-7 --organisation north-works \\\n--project pump-hall press-line',
        ],
      }),
    )
    .action(async (name: string, options: { organisation: string; project?: string[]; json?: boolean }) => {
      const { organisation, project: projects } = options;
      const { applicationId, secret } = await withContext({ patient: false }, ({ database }) =>
        createApplication(database, { organisation, name, projects }, actor()),
      );
      if (options.json) printJson({ applicationId, secret, organisation, name, projects: projects ?? null });
      else {
        printLine(`application ${name} created`);
        printCredentials(applicationId, secret);
      }
    });
}

function addList(application: Command): void {
  application
    .command('list')
    .description('list applications with their projects and their state')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge application list', 'databridge application list --json'],
        notes: [
          'last token: when the application last created a token; renewals do not count.',
          'refused: readings of the last 24 hours that were refused; databridge application refusals ID lists them.',
        ],
      }),
    )
    .action(async (options: { json?: boolean }) => {
      const rows = await withContext({ patient: false }, ({ database }) => listApplications(database));
      if (options.json) printJson(rows.map(document));
      else if (rows.length === 0) printLine('no applications yet; databridge application create NAME creates one');
      else printLine(table(HEADING, rows.map(cells)));
    });
}

const HEADING = ['id', 'organisation', 'name', 'projects', 'last token', 'refused', 'state'];

const cells = (row: Application): Cell[] => [
  row.applicationId,
  row.organisation,
  row.name,
  row.projects?.join(' ') ?? 'all',
  instantOrNull(row.lastTokenAt),
  row.refused24h,
  stateOf(row),
];

function stateOf({ revokedAt, previousSecretUntil }: Application): string {
  if (revokedAt !== null) return `revoked ${formatInstant(revokedAt)}`;
  return previousSecretUntil === null ? 'active' : `active, old secret until ${formatInstant(previousSecretUntil)}`;
}

const document = (row: Application): Record<string, unknown> => ({
  ...row,
  createdAt: formatInstant(row.createdAt),
  previousSecretUntil: instantOrNull(row.previousSecretUntil),
  lastTokenAt: instantOrNull(row.lastTokenAt),
  revokedAt: instantOrNull(row.revokedAt),
});

function addRefusals(application: Command): void {
  application
    .command('refusals <id>')
    .description('list pushed readings that were refused: counts by the hour, and kept readings, newest first')
    .addOption(new Option('--reason <reason>', 'only refusals of this reason').choices(Object.keys(REFUSALS)))
    .option('--limit <number>', 'hours and readings shown', wholeNumber, 50)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge application refusals app_0123456789abcdef0123',
          'databridge application refusals app_0123456789abcdef0123 \\\n--reason same-instant --json',
        ],
        notes: [
          'Every refusal that a client was told is counted; a reading that is sent and refused again counts again. For each project, reason and hour about 1,000 readings are kept with their value.',
        ],
      }),
    )
    .action(async (applicationId: string, options: { reason?: string; limit: number; json?: boolean }) => {
      const wanted = { applicationId, reason: options.reason, limit: options.limit };
      const refusals = await withContext({ patient: false }, ({ database }) => pushRefusalsOf(database, wanted));
      printRefusals(refusals, options.json ?? false);
    });
}

function addRotate(application: Command): void {
  application
    .command('rotate <id>')
    .description('give an application a new secret and show it, once')
    .option('--overlap-hours <hours>', 'hours for which the old secret stays valid, 0 to 720', '24')
    .option('--json', 'print JSON, with the secret')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge application rotate app_0123456789abcdef0123',
          'databridge application rotate app_0123456789abcdef0123 --overlap-hours 0',
        ],
        notes: ['After a leak use --overlap-hours 0: the old secret and all refresh tokens end at once.'],
      }),
    )
    .action(async (id: string, options: { overlapHours: string; json?: boolean }) => {
      const overlapHours = options.overlapHours.trim() === '' ? Number.NaN : Number(options.overlapHours);
      const { secret, previousUntil } = await withContext({ patient: false }, ({ database }) =>
        rotateSecret(database, id, { overlapHours }, actor()),
      );
      const until = formatInstant(previousUntil);
      if (options.json) printJson({ applicationId: id, secret, previousSecretUntil: until });
      else {
        printLine(
          overlapHours === 0 ? 'the old secret is refused from now on' : `the old secret is valid until ${until}`,
        );
        printCredentials(id, secret);
      }
    });
}

function printCredentials(applicationId: string, secret: string): void {
  printLine(`  APPLICATION_ID      ${applicationId}`);
  printLine(`  APPLICATION_SECRET  ${secret}`);
  printLine('Put the secret in a safe place now: it is not stored here and cannot be shown again.');
}
