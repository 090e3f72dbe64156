import { defineConfig } from 'vitest/config';

// Stryker runs these tests against each mutant (stryker.json). TypeScript 7 has no interface for Stryker to rewrite a tsconfig,
// so it is given none; Vite takes the types away by itself.
export default defineConfig({
  test: { include: ['src/{core,pull}/**/*.test.ts'] },
});
