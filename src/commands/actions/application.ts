import {
  applicationDocument,
  createApplication,
  listApplications,
  revokeApplication,
  rotateSecret,
  showApplication,
} from '../../access/applications.ts';
import type { Application } from '../../access/applications.ts';
import { formatInstant, instantOrNull } from '../../core/instant.ts';
import { refusalsDocument } from '../../core/kept-refusals.ts';
import type { RefusalReason } from '../../core/reading.ts';
import { pushRefusalsOf } from '../../ingest/pushed-refusals.ts';
import { withContext } from '../../context.ts';
import type { Cell } from '../../terminal/output.ts';
import { actor, cellText, printJson, printLine, printList } from '../../terminal/output.ts';
import { resemblingDocument, resemblingIn } from '../../source/held-names.ts';
import { printResembling } from './held-resembling.ts';
import { boundsOf, printRefusalSums } from './refusal-sums.ts';

/** `application revoke`. */
export async function applicationRevoke(id: string, options: { json?: boolean }): Promise<void> {
  const revoked = await withContext(({ database }) => revokeApplication(database, id, actor()));
  if (options.json) printJson({ applicationId: id, revoked });
  else printLine(revoked ? `application ${id} revoked` : `application ${id} was revoked already`);
}

/** `application create`. */
export async function applicationCreate(
  name: string,
  options: { organisation: string; project?: string[]; json?: boolean },
): Promise<void> {
  const { organisation, project: projects } = options;
  const { applicationId, secret } = await withContext(({ database }) =>
    createApplication(database, { organisation, name, projects }, actor()),
  );
  if (options.json) printJson({ applicationId, secret, organisation, name, projects: projects ?? null });
  else {
    printLine(`application ${name} created`);
    printCredentials(applicationId, secret);
  }
}

/** `application list`. */
export async function applicationList(options: { limit?: number; json?: boolean }): Promise<void> {
  const rows = await withContext(({ database }) => listApplications(database));
  if (options.json) printJson(rows.slice(0, options.limit).map(applicationDocument));
  else if (rows.length === 0) printLine('no applications yet; databridge application create NAME creates one');
  else printList(HEADING, rows.map(cells), { noun: ['application'], limit: options.limit });
}

const HEADING = ['id', 'organisation', 'name', 'projects', 'last token', 'last push', 'refused', 'state'];

const cells = (row: Application): Cell[] => [
  row.applicationId,
  row.organisation,
  row.name,
  row.projects?.join(' ') ?? 'all',
  instantOrNull(row.lastTokenAt),
  instantOrNull(row.lastPushAt),
  row.refused24h,
  stateOf(row),
];

/** `application show`. */
export async function applicationShow(id: string, options: { json?: boolean }): Promise<void> {
  const row = await withContext(({ database }) => showApplication(database, id));
  if (options.json) {
    printJson(applicationDocument(row));
    return;
  }
  const reasons = Object.entries(row.refusedByReason24h).toSorted(([, one], [, other]) => other - one);
  const facts: [string, Cell][] = [
    ['id', row.applicationId],
    ['organisation', row.organisation],
    ['name', row.name],
    ['projects', row.projects?.join(' ') ?? 'all'],
    ['state', stateOf(row)],
    ['last token', instantOrNull(row.lastTokenAt)],
    ['last renewal', instantOrNull(row.lastRenewalAt)],
    ['last push', instantOrNull(row.lastPushAt)],
    ['pushes', row.pushes],
    ['accepted', row.accepted],
    ['duplicates', row.duplicates],
    ['revised', row.revised],
    ['bytes', row.bytes],
    ['refused in 24 hours', row.refused24h],
    ...reasons.map(([reason, refused]): [string, Cell] => [`  ${reason}`, refused]),
  ];
  for (const [name, value] of facts) printLine(`${name.padEnd(20)}  ${cellText(value)}`);
}

function stateOf({ revokedAt, previousSecretUntil }: Application): string {
  if (revokedAt !== null) return `revoked ${formatInstant(revokedAt)}`;
  return previousSecretUntil === null ? 'active' : `active, old secret until ${formatInstant(previousSecretUntil)}`;
}

/** `application refusals`. */
export async function applicationRefusals(
  applicationId: string,
  options: { reason?: RefusalReason; sensor?: string; from?: string; to?: string; limit: number; json?: boolean },
): Promise<void> {
  const { reason, sensor } = options;
  const { held, ...refusals } = await withContext(async ({ database, clock }) => {
    const wanted = { applicationId, reason, sensor, ...boundsOf(options, clock.now()) };
    const found = await pushRefusalsOf(database, wanted, options.limit);
    return { ...found, held: await resemblingIn(database, found, { applicationId }) };
  });
  if (options.json) return printJson({ ...refusalsDocument(refusals, 'pusher'), ...resemblingDocument(held) });
  printRefusalSums(refusals, 'pusher');
  printResembling(held);
}

/** `application rotate`. */
export async function applicationRotate(id: string, options: { overlapHours: string; json?: boolean }): Promise<void> {
  const overlapHours = options.overlapHours.trim() === '' ? Number.NaN : Number(options.overlapHours);
  const { secret, previousUntil } = await withContext(({ database }) =>
    rotateSecret(database, id, { overlapHours }, actor()),
  );
  const until = formatInstant(previousUntil);
  if (options.json) printJson({ applicationId: id, secret, previousSecretUntil: until });
  else {
    printLine(overlapHours === 0 ? 'the old secret is refused from now on' : `the old secret is valid until ${until}`);
    printCredentials(id, secret);
  }
}

function printCredentials(applicationId: string, secret: string): void {
  printLine(`  APPLICATION_ID      ${applicationId}`);
  printLine(`  APPLICATION_SECRET  ${secret}`);
  printLine('Put the secret in a safe place now: it is not stored here and cannot be shown again.');
}
