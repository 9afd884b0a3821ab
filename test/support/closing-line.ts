/** Closes a test run with one plain line that any machine can read: `N passed, N failed, N skipped`. */
import type { Reporter, TestModule } from 'vitest/node';

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const before = count.passed + count.failed + count.skipped;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed' || state === 'skipped') count[state] += 1;
      }
      // A file that could not even be loaded has no tests, and is a failure all the same.
      const empty = count.passed + count.failed + count.skipped === before;
      if (empty && module.state() === 'failed') count.failed += 1;
    }
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
  }
}
