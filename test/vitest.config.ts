import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;

// The tests start hundreds of processes; compiling the same sources for each of them is half of what that costs.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/node-compile`;

// Real sockets and servers on a shared machine: in CI one more try, which the summary shows.
const retry = process.env['CI'] ? 1 : 0;

// Unit tests sit beside their source and need nothing. The others start real servers and mostly wait: three files at a time.
export default defineConfig({
  root,
  test: {
    projects: [
      {
        root,
        test: {
          name: 'unit',
          retry,
          isolate: false,
          sequence: { groupOrder: 0 },
          include: ['{src,adapters}/**/*.test.ts', 'test/architecture/**/*.test.ts'],
        },
      },
      {
        root,
        test: {
          name: 'conformance',
          retry,
          sequence: { groupOrder: 1 },
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        root,
        test: {
          name: 'integration',
          sequence: { groupOrder: 2 },
          include: ['test/integration/**/*.test.ts', 'test/chaos/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          maxWorkers: 3,
          retry,
        },
      },
    ],
  },
});
