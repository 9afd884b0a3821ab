import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/answers/prepare.ts', 'test/secrets/suite/evidence-folder.ts'],
    setupFiles: ['test/support/answers/setup.ts', 'test/secrets/suite/keep.ts'],
    // One more than the two cores of the reference machine: tests of real processes mostly wait.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
