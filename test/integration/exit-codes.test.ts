import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applicationRefusals, applicationRevoke, applicationRotate } from '../../src/commands/actions/application.ts';
import { backfillChange, backfillShow, backfillStart } from '../../src/commands/actions/backfill.ts';
import { ingestionRefusals } from '../../src/commands/actions/ingestion-refusals.ts';
import { ingestionResume, ingestionStore } from '../../src/commands/actions/ingestion.ts';
import { organisationCreate } from '../../src/commands/actions/organisation.ts';
import { projectCreate } from '../../src/commands/actions/project.ts';
import { readings } from '../../src/commands/actions/readings.ts';
import { sourceCoverage } from '../../src/commands/actions/source-coverage.ts';
import { sourceRefusals } from '../../src/commands/actions/source-refusals.ts';
import { sourceRestore } from '../../src/commands/actions/source-restore.ts';
import { sourceShow } from '../../src/commands/actions/source-show.ts';
import { sourceTakeOver } from '../../src/commands/actions/source-take-over.ts';
import { sourceWhy } from '../../src/commands/actions/source-why.ts';
import { sourceChanges } from '../../src/commands/actions/source.ts';
import type { Database } from '../../src/database/database.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { EXIT, exitCodeOf } from '../../src/terminal/output.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';

// Alike cases have alike codes. Codes of signals: ctrl-c.test.ts; of misspelt commands and options: wrong-use.test.ts.

const databases = useDatabases();
let database: Database;

beforeAll(async () => {
  database = await databases.create();
  const source = await storeSource(database);
  await storeStream(database, source);
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATABRIDGE_KEY', SEALING_KEY);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The exit code of the process whose only command is this action. */
async function codeOf(action: () => Promise<void>): Promise<number> {
  process.exitCode = undefined;
  try {
    await action();
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    return exitCodeOf(error);
  } finally {
    process.exitCode = undefined;
  }
}

const ORGANISATION = { organisation: 'default' };

describe('a name that stands for nothing is wrong use (2) in', () => {
  it.each<[string, () => Promise<void>]>([
    ['application refusals', () => applicationRefusals('app_none', { limit: 1 })],
    ['application revoke', () => applicationRevoke('app_none', {})],
    ['application rotate', () => applicationRotate('app_none', { overlapHours: '1' })],
    ['backfill start', () => backfillStart('none', { from: '7d' })],
    ['backfill show', () => backfillShow('99', {})],
    ['backfill cancel', () => backfillChange('cancel')('99', {})],
    ['ingestion refusals', () => ingestionRefusals('none', { ...ORGANISATION, limit: 1 })],
    ['ingestion resume', () => ingestionResume('none', ORGANISATION)],
    ['ingestion store', () => ingestionStore('none', ORGANISATION)],
    ['project create', () => projectCreate('hall', { organisation: 'none' })],
    ['readings', () => readings('none', { ...ORGANISATION, from: '1h', format: 'table' })],
    ['source coverage', () => sourceCoverage('none', {})],
    ['source refusals', () => sourceRefusals('none', { limit: 1 })],
    ['source restore', () => sourceRestore('none', {})],
    ['source show', () => sourceShow('none', {})],
    ['source take-over', () => sourceTakeOver('none', { fromPushed: true })],
    ['source why', () => sourceWhy('none', {})],
    ['source pause', () => sourceChanges.pause(['none'], {})],
    ['source resume', () => sourceChanges.resume(['none'], {})],
    ['source poll', () => sourceChanges.poll(['none'], {})],
    ['source remove', () => sourceChanges.remove(['none'], { yes: true })],
  ])('%s', async (_, action) => {
    expect(await codeOf(action)).toBe(EXIT.usage);
  });
});

it('what stands already as it is asked for is done (0)', async () => {
  const twice = async (action: () => Promise<void>): Promise<number[]> => [await codeOf(action), await codeOf(action)];
  expect(await twice(() => organisationCreate('north', {}))).toEqual([0, 0]);
  expect(await twice(() => projectCreate('hall', ORGANISATION))).toEqual([0, 0]);
  expect(await twice(() => ingestionStore('hall', ORGANISATION))).toEqual([0, 0]);
  expect(await twice(() => sourceChanges.pause(['source'], {}))).toEqual([0, 0]);
  expect(await twice(() => sourceChanges.resume(['source'], {}))).toEqual([0, 0]);
  const backfill = { source: { name: 'source' }, from: 0, to: 60_000_000, requestedBy: 'tester' };
  const id = await startBackfill(database, backfill);
  expect(await twice(() => backfillChange('cancel')(String(id), {}))).toEqual([0, 0]);
});

it('wrong options are wrong use (2)', async () => {
  expect(await codeOf(() => backfillStart('source', { from: 'yesterday' }))).toBe(2);
  expect(await codeOf(() => backfillStart('source', { from: '1d', to: '2d' }))).toBe(2);
  expect(await codeOf(() => readings('hall', { ...ORGANISATION, from: '1h', to: '2h', format: 'csv' }))).toBe(2);
  expect(await codeOf(() => sourceTakeOver('source', {}))).toBe(2);
});

it('the table of docs/commands.md has every code', () => {
  const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `(\d+)` \| /gm)].map(([, code]) => Number(code));
  expect(listed).toEqual([...Object.values(EXIT), 143, 129].toSorted((one, other) => one - other));
});
