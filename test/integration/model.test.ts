import fc from 'fast-check';
import { beforeAll, test, vi } from 'vitest';
import { openSealing } from '../../src/access/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { histories } from './model/deeds.ts';
import { prepareGround } from './model/ground.ts';
import { runHistory } from './model/run.ts';

// The real pull side on a real PostgreSQL, through random histories of deeds of operators, plants and machines, against a
// model of a few lines (model/judge.ts). `npm run test:soak` runs thousands of histories.

vi.mock('node:timers/promises', async (original) => {
  const { sleepInModel } = await import('./model/time.ts');
  return { ...(await original<object>()), setTimeout: sleepInModel };
});

/** How many histories run, and from which seed: a failure names its seed. */
const RUNS = Number(process.env['DATABRIDGE_HISTORIES'] ?? 50);
const SEED = process.env['DATABRIDGE_HISTORY_SEED'];

const databases = useDatabases();
let database: Database;
let sealing: Sealing;

beforeAll(async () => {
  database = await prepareGround(await databases.createEmpty());
  sealing = await openSealing('', 'A'.repeat(43));
  return () => database.close();
});

test('after any history the readings are what the plant said, and nothing is lost, starved or asked too fast', async () => {
  await fc.assert(
    fc.asyncProperty(histories, (history) => runHistory(database, sealing, history)),
    { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
  );
}, 14_400_000);
