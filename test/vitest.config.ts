import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;

// The tests start hundreds of processes; compiling the same sources for each of them is half of what that costs.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/node-compile`;

/** Bounds that only a test which hangs meets, on a machine that is busy with ten other things, too. */
const patient = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000, interval: 50 } } };

// Unit tests sit beside their source and need nothing. The others start real servers and mostly wait: three files at a time.
export default defineConfig({
  root,
  test: {
    globalSetup: ['test/kit/run-directory.ts'],
    projects: [
      {
        root,
        test: {
          name: 'unit',
          isolate: false,
          sequence: { groupOrder: 0 },
          include: ['{src,adapters}/**/*.test.ts', 'test/architecture/**/*.test.ts'],
        },
      },
      {
        root,
        test: {
          name: 'conformance',
          sequence: { groupOrder: 1 },
          include: ['test/conformance/**/*.test.ts'],
          ...patient,
        },
      },
      {
        root,
        test: {
          name: 'integration',
          globalSetup: ['test/kit/shared-server.ts'],
          sequence: { groupOrder: 2 },
          include: ['test/integration/**/*.test.ts', 'test/chaos/**/*.test.ts'],
          ...patient,
          maxWorkers: 3,
        },
      },
    ],
  },
});
