import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

const root = new URL('..', import.meta.url).pathname;

// The tests start hundreds of processes; compiling the same sources for each of them is half of what that costs.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/node-compile`;

/**
 * At most this many test files run at a time: more than the cores, because a test file mostly waits; no more, because each
 * bridge goes on polling while the bridges of other files keep it waiting; at most 8, because each file holds some ten connections to PostgreSQL.
 */
const WORKERS = Math.min(8, 3 * availableParallelism());

/** Bounds that only a test which hangs meets, also where other work keeps the machine busy. */
const patient = { testTimeout: 1_800_000, hookTimeout: 600_000, expect: { poll: { timeout: 600_000, interval: 50 } } };

/** Files that take a minute and longer; most of them mostly wait. */
const LONG = [
  'integration/model',
  'conformance/platforms',
  'chaos/two-bridges',
  'integration/platform-faults',
  'integration/platform-throttling',
  'chaos/outages',
  'integration/check-beside-workers',
  'integration/demo',
  'integration/console',
  'chaos/week-of-influx',
  'chaos/workers',
  'integration/discovery',
  'integration/platforms',
  'integration/overload',
  'integration/platform-clock',
  'integration/politeness',
  'integration/api-fuzz',
  'integration/hanging',
  'integration/influx-faults',
  'integration/alerts-daemon',
  'integration/account',
  'integration/api-process',
  'integration/packaging',
  'integration/embedded-postgres',
];

/** Files that put another module in the place of one of ours. All others share the modules that a worker has loaded. */
const MOCKING = ['access-applications', 'clock-ahead', 'clocks-jobs', 'model', 'month', 'pacer'].map(
  (name) => `test/integration/${name}.test.ts`,
);

/** A simulated month takes minutes of both cores, so it is a part of the soak: it is played where its size is told. */
const SOAKS = process.env['DATABRIDGE_MONTH'] === undefined ? ['test/integration/month.test.ts'] : [];

/** Long files begin first, so that none of them is still under way when all others are done. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((name) => moduleId.includes(`test/${name}.`));
      return place === -1 ? LONG.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

// Unit tests sit beside their source and need no server. The others start real ones. Vitest does not try a failed test again, because
// a second try would hide that the test depends on luck.
export default defineConfig({
  root,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        root,
        test: {
          name: 'unit',
          globalSetup: ['test/kit/run-directory.ts'],
          isolate: false,
          include: ['{src,adapters,console}/**/*.test.ts', 'test/{architecture,peers}/**/*.test.ts'],
          ...patient,
          maxWorkers: WORKERS,
        },
      },
      {
        root,
        test: {
          name: 'conformance',
          globalSetup: ['test/kit/run-directory.ts'],
          isolate: false,
          include: ['test/conformance/**/*.test.ts'],
          ...patient,
          maxWorkers: WORKERS,
        },
      },
      {
        root,
        test: {
          name: 'mocking',
          globalSetup: ['test/kit/run-directory.ts', 'test/kit/shared-server.ts', 'test/kit/joined-program.ts'],
          include: MOCKING,
          exclude: SOAKS,
          ...patient,
          maxWorkers: WORKERS,
        },
      },
      {
        root,
        test: {
          name: 'integration',
          globalSetup: ['test/kit/run-directory.ts', 'test/kit/shared-server.ts', 'test/kit/joined-program.ts'],
          isolate: false,
          include: ['test/integration/**/*.test.ts', 'test/chaos/**/*.test.ts'],
          exclude: MOCKING,
          ...patient,
          maxWorkers: WORKERS,
        },
      },
    ],
  },
});
