import { defineConfig } from 'vitest/config';

// Stryker runs these tests against each mutant (stryker.json). TypeScript 7 has no interface for Stryker to rewrite a tsconfig,
// so it is given none; Vite takes the types away by itself. Stryker itself ends a mutant that hangs.
export default defineConfig({
  test: {
    include: ['src/{core,pull}/**/*.test.ts'],
    setupFiles: ['test/mutation/repeatable.ts'],
    isolate: false,
    testTimeout: 600_000,
  },
});
