import { defineConfig } from 'vitest/config';
import SlowFirst from './test/support/slow-first.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/answers/prepare.ts', 'test/secrets/suite/evidence-folder.ts'],
    setupFiles: ['test/support/answers/setup.ts', 'test/secrets/suite/keep.ts'],
    // Twice the two cores of the reference machine: tests of real processes mostly wait.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
