import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applicationList, applicationRefusals } from '../../src/commands/actions/application.ts';
import { archiveList } from '../../src/commands/actions/archive.ts';
import { auditList } from '../../src/commands/actions/audit.ts';
import { backfillList, backfillShow } from '../../src/commands/actions/backfill.ts';
import { doctor } from '../../src/commands/actions/doctor.ts';
import { ingestionList } from '../../src/commands/actions/ingestion.ts';
import { ingestionRefusals } from '../../src/commands/actions/ingestion-refusals.ts';
import { operatorList, operatorTokenList } from '../../src/commands/actions/operator.ts';
import { keyShow } from '../../src/commands/actions/key.ts';
import { organisationList } from '../../src/commands/actions/organisation.ts';
import { projectList } from '../../src/commands/actions/project.ts';
import { projectNames, projectShow } from '../../src/commands/actions/project-lock.ts';
import { readings } from '../../src/commands/actions/readings.ts';
import { refusals } from '../../src/commands/actions/refusals.ts';
import { signingKeyList } from '../../src/commands/actions/signing-key.ts';
import { sourceCoverage } from '../../src/commands/actions/source-coverage.ts';
import { sourceList } from '../../src/commands/actions/source-list.ts';
import { sourceRefusals } from '../../src/commands/actions/source-refusals.ts';
import { sourceNewest } from '../../src/commands/actions/source-newest.ts';
import { sourceRequests } from '../../src/commands/actions/source-requests.ts';
import { sourceShow } from '../../src/commands/actions/source-show.ts';
import { sourceWhy } from '../../src/commands/actions/source-why.ts';
import { addApplication } from '../../src/commands/application.ts';
import { addAudit } from '../../src/commands/audit.ts';
import { addBackfill } from '../../src/commands/backfill.ts';
import { addDoctor } from '../../src/commands/doctor.ts';
import { addIngestion } from '../../src/commands/ingestion.ts';
import { addOperator } from '../../src/commands/operator.ts';
import { addKey } from '../../src/commands/key.ts';
import { addOrganisation } from '../../src/commands/organisation.ts';
import { addProject } from '../../src/commands/project.ts';
import { addReadings } from '../../src/commands/readings.ts';
import { addRefusals } from '../../src/commands/refusals.ts';
import { addSigningKey } from '../../src/commands/signing-key.ts';
import { addSource } from '../../src/commands/source.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { LONG, fillWithLongNames } from './listing-ground.ts';

const SOURCES = 1_002;
const databases = useDatabases();

const LISTINGS: Readonly<Record<string, () => Promise<void>>> = {
  'application list': () => applicationList({}),
  'application refusals': () => applicationRefusals(LONG.application, { limit: 50 }),
  'archive list': () => archiveList({ organisation: LONG.organisation }),
  'audit list': () => auditList({ limit: 50 }),
  'backfill list': () => backfillList({ limit: 10 }),
  'backfill show': () => backfillShow('1', {}),
  doctor: () => doctor({}),
  'ingestion list': () => ingestionList({}),
  'ingestion refusals': () => ingestionRefusals(LONG.project, { organisation: LONG.organisation, limit: 50 }),
  'operator list': () => operatorList({}),
  'operator token list': () => operatorTokenList(undefined, {}),
  'key show': () => keyShow({}),
  'organisation list': () => organisationList({ limit: 1 }),
  'project list': () => projectList({}),
  'project names': () => projectNames(LONG.project, { organisation: LONG.organisation, limit: 50 }),
  'project show': () => projectShow(LONG.project, { organisation: LONG.organisation }),
  readings: () => readings(LONG.project, { organisation: LONG.organisation, from: '1h', format: 'table', limit: 20 }),
  refusals: () => refusals({ limit: 50 }),
  'signing-key list': () => signingKeyList({}),
  'source coverage': () => sourceCoverage(LONG.source, { from: '2d', sensor: LONG.sensor }),
  'source list': () => sourceList({ limit: 50 }),
  'source newest': () => sourceNewest(LONG.source, { limit: 50 }),
  'source requests': () => sourceRequests({}),
  'source refusals': () => sourceRefusals(LONG.source, { limit: 50 }),
  'source show': () => sourceShow(LONG.source, {}),
  'source why': () => sourceWhy(LONG.source, {}),
};

/** They print a line or two about one thing, or ask a platform. */
const OTHERS =
  /^(?:application (?:create|show|rotate|revoke)|archive (?:run|check)|backfill (?:quote|start|watch|pause|resume|cancel)|ingestion (?:push|store|resume)|key (?:rotate|lost)|organisation create|project (?:create|lock|unlock|release|unrename|quota|keep|trim|hold|unhold)|operator (?:create|link|role|organisations|sign-out|disable|enable|password)|operator token (?:create|revoke)|refusals replay|signing-key rotate|source (?:new|check|sensors|preview|record|apply|export|take-over|trace|advise|contract|receipt|restore|pause|resume|poll|remove))$/;

beforeAll(async () => {
  const database = await databases.create();
  await fillWithLongNames(database, SOURCES);
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATABRIDGE_KEY', SEALING_KEY);
  // A backfill that runs would be watched.
  await database.run(`update backfill set state = 'done', finished_at = now()`);
});

afterAll(() => {
  vi.unstubAllEnvs();
});

/** A name of 63 or 64 characters that has its line almost for itself. */
const LONG_NAME = /^(?: *(?:- )?[a-z]+:)? *\S{57,}$/;

/** The lines that a listing prints on a terminal of so many columns. */
async function linesOf(listing: () => Promise<void>, columns: number): Promise<string[]> {
  const stdout = process.stdout as { isTTY: boolean; columns: number };
  const before = { isTTY: stdout.isTTY, columns: stdout.columns };
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...more) => {
    text += String(chunk);
    for (const done of more) if (typeof done === 'function') done();
    return true;
  });
  Object.assign(stdout, { isTTY: true, columns });
  try {
    await listing();
  } finally {
    write.mockRestore();
    Object.assign(stdout, before);
    process.exitCode = undefined;
  }
  return stripVTControlCharacters(text).split('\n');
}

const leaves = (command: Command, path = ''): string[] =>
  command.commands.length === 0
    ? [path]
    : command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`.trim()));

it('every command either is a listing below or prints no list', () => {
  const program = new Command();
  const adders = [addApplication, addAudit, addBackfill, addDoctor, addIngestion, addKey, addOrganisation];
  for (const add of [...adders, addOperator, addProject, addReadings, addRefusals, addSigningKey, addSource])
    add(program);
  expect(leaves(program).filter((name) => !(name in LISTINGS) && !OTHERS.test(name))).toEqual([]);
});

describe.each([60, 80, 120])('on a terminal of %i columns', (columns) => {
  it.each(Object.keys(LISTINGS))('%s fits', async (name) => {
    const lines = await linesOf(LISTINGS[name] as () => Promise<void>, columns);
    expect(lines.join('').length).toBeGreaterThan(20);
    // A name of 64 characters stays whole on 60 columns, with the key before it in YAML, so that it can be copied.
    expect(lines.filter((line) => line.length > columns && !(columns === 60 && LONG_NAME.test(line)))).toEqual([]);
  });
});

it('the last line of a list of 1,002 sources counts them, and says how many are not shown', async () => {
  const lines = await linesOf(() => sourceList({ limit: 50, sort: 'lag' }), 80);
  const end = lines
    .slice(-3)
    .map((line) => line.trim())
    .join(' ');
  expect(end).toContain('1,002 sources: ');
  expect(end).toContain('952 not shown (--limit)');
  const audited = await linesOf(() => auditList({ limit: 50 }), 80);
  expect(audited.at(-2)).toMatch(/^10 older changes not shown \(--limit, or --before \d+\)$/);
  const organisations = await linesOf(() => organisationList({ limit: 1 }), 80);
  expect(organisations.at(-2)).toBe('2 organisations, 1 of them not shown (--limit)');
});
