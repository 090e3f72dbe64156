import { defineConfig } from 'vitest/config';

// The poll path is tried on a real PostgreSQL (stryker.database.json), which is started once for each process of Stryker. These
// are the tests that play it with a platform as a function and a clock of their own: none waits.
export default defineConfig({
  test: {
    include: [
      'test/integration/{claim,commit,consequence,failed-sensor,future,gate,history,history-run,live-windows,local-time,look,poll,refusals,same-instant,series-names,split-streams,turns,unreadable}.test.ts',
    ],
    globalSetup: ['test/kit/run-directory.ts', 'test/kit/shared-server.ts'],
    setupFiles: ['test/mutation/repeatable.ts'],
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000, interval: 50 } },
  },
});
