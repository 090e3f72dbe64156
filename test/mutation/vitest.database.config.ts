import { defineConfig } from 'vitest/config';

// The poll path is tried on a real PostgreSQL (stryker.database.json), which is started once for each process of Stryker. These
// are the tests that play it with a platform as a function and a clock of their own: none waits.
export default defineConfig({
  test: {
    include: [
      'test/integration/{archive-faults,backfill,backfill-kinds,commit,commit-together,consequence,gate,history,history-run,history-slots,history-turns,joined-streams,live-windows,older-answer,poll,same-instant,turns}.test.ts',
    ],
    globalSetup: ['test/kit/run-directory.ts', 'test/kit/shared-server.ts'],
    setupFiles: ['test/mutation/repeatable.ts'],
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000, interval: 50 } },
  },
});
