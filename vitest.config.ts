import { defineConfig } from 'vitest/config';
import SlowFirst from './test/support/slow-first.js';

const setupFiles = ['./test/support/answers/setup.ts', './test/secrets/suite/keep.ts', './test/support/properties.ts'];
/** How long one test may take on a machine that has other things to do; only a test that hangs takes so long. */
const LIMITS = { testTimeout: 300_000, hookTimeout: 300_000 };
const SYSTEM = 'test/**/*.system.test.ts';

/** The two tiers of tests, which docs/testing.md explains: the name of a file says which is its own. */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    globalSetup: [
      'test/support/build.ts',
      'test/support/answers/prepare.ts',
      'test/secrets/suite/evidence-folder.ts',
      'test/support/life-of-run.ts',
    ],
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          ...{ name: 'fast', ...LIMITS, include: ['test/**/*.test.ts'], exclude: [SYSTEM], isolate: false },
          // One for each core of the reference machine: these compute, and each process loads all modules for itself.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          setupFiles: [...setupFiles, './test/support/no-processes.ts', './test/support/left-behind-setup.ts'],
        },
      },
      {
        test: {
          ...{ name: 'system', ...LIMITS, isolate: false },
          include: [SYSTEM],
          // More than twice the cores: tests of real processes mostly wait.
          maxWorkers: 5,
          sequence: { groupOrder: 0 },
          setupFiles: ['./test/support/life-of-file.ts', ...setupFiles],
        },
      },
    ],
  },
});
