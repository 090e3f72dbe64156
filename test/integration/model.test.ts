import fc from 'fast-check';
import { beforeAll, test, vi } from 'vitest';
import { openSealing } from '../kit/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { histories } from './model/deeds.ts';
import type { History } from './model/deeds.ts';
import { prepareGround } from './model/ground.ts';
import { chance } from './model/points.ts';
import { runHistory } from './model/run.ts';

// The real pull side on a real PostgreSQL, through random histories of deeds of operators, plants and machines, against a
// model of a few lines (model/judge.ts). `npm run test:soak` runs thousands of histories.

vi.mock('node:timers/promises', async (original) => {
  const { sleepInModel } = await import('./model/time.ts');
  return { ...(await original<object>()), setTimeout: sleepInModel };
});

/** How many histories run; undefined in an ordinary run of the tests. */
const WANTED = process.env['DATABRIDGE_HISTORIES'];
const RUNS = Number(WANTED ?? 50);

/**
 * An ordinary run takes the same histories each time: it judges the change that is to land, and a history that fails by the
 * luck of the draw would blame the wrong one. A soak draws new ones, and its report names the seed.
 */
const SEED = Number(
  process.env['DATABRIDGE_HISTORY_SEED'] ?? (WANTED === undefined ? 20_261_122 : Math.floor(Math.random() * 2 ** 31)),
);

/** Runs the one history that a report names; its seed has to be given with it. */
const PATH = process.env['DATABRIDGE_HISTORY_PATH'];

/** A history that luck seldom finds: the operator takes a sensor off the list while the stream that reads it is asked. */
const NARROWED: History = {
  seed: 0,
  sensors: 1,
  sensorsPerRead: 2,
  neighbour: false,
  broken: 'none',
  basic: false,
  readAgain: false,
  dense: false,
  first: { startMinutes: 5, maxWindow: 2 },
  deeds: [
    { deed: 'new-sensor' },
    { deed: 'apply-amid', change: { listed: 1 }, answers: 0 },
    { deed: 'work', rounds: 1, together: false },
  ],
};

/** Another one: a sensor gets a new name amid a step of the grid, and its points of after that come later than the overlap. */
const RENAMED: History = {
  seed: 8409,
  sensors: 1,
  sensorsPerRead: 1,
  neighbour: false,
  broken: 'none',
  basic: false,
  readAgain: false,
  dense: false,
  first: { listed: 2 },
  deeds: [
    { deed: 'work', rounds: 2, together: false },
    { deed: 'apply-amid', change: { renamed: true }, answers: 1 },
    { deed: 'cut-off', minutes: 2, held: 1 },
    { deed: 'work', rounds: 1, together: false },
  ],
};

/** And another: a point of the last overlap before a change of names comes after it. */
const OVERLAPPED: History = {
  ...RENAMED,
  seed: 9905,
  first: {},
  deeds: [
    { deed: 'rename-sensor', sensor: 0 },
    { deed: 'apply', change: { listed: 2, renamed: true } },
    { deed: 'new-sensor' },
  ],
};

/** And another: a sensor falls silent for good, and its silence is asked about once more. */
const FALLEN_SILENT: History = {
  ...RENAMED,
  seed: 0,
  first: {},
  deeds: [
    { deed: 'work', rounds: 2, together: false },
    { deed: 'rename-sensor', sensor: 0 },
    ...Array.from({ length: 4 }, () => [
      { deed: 'wait', seconds: 400 } as const,
      { deed: 'work', rounds: 2, together: false } as const,
    ]).flat(),
  ],
};

const databases = useDatabases();
let database: Database;
let sealing: Sealing;

beforeAll(async () => {
  database = await prepareGround(await databases.createEmpty());
  sealing = await openSealing('', 'A'.repeat(43));
  return () => database.close();
});

test(`after any of ${RUNS} histories (seed ${SEED}) the readings are what the plant said, and nothing is lost, starved or asked too fast`, async () => {
  const { random } = Math;
  let ended = 0;
  try {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        // Waits after failures are drawn, and a history that is repeated draws the same ones.
        let drawn = 0;
        Math.random = () => chance(history.seed, 'drawn', (drawn += 1));
        await runHistory(database, sealing, history);
        ended += 1;
        if (WANTED !== undefined && ended % 100 === 0)
          process.stderr.write(`${ended} of ${RUNS} histories held (seed ${SEED})\n`);
      }),
      {
        numRuns: RUNS,
        seed: SEED,
        // A path counts the examples, too.
        examples: [[NARROWED], [RENAMED], [OVERLAPPED], [FALLEN_SILENT]],
        ...(PATH !== undefined && { path: PATH, endOnFailure: true }),
      },
    );
  } finally {
    Math.random = random;
  }
}, 14_400_000);
