/** Closes a test run with one plain line that any machine can read: `N passed, N failed, N skipped`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    count.failed += lateViolations();
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
  }
}

/** Wrong answers of processes that outlived their test, see support/answers/: a failure that no test could report. */
function lateViolations(): number {
  const folder = process.env['TWINBOOK_ANSWERS_FOLDER'];
  if (folder === undefined) return 0;
  const files = readdirSync(folder).filter((name) => name.startsWith('violations-'));
  for (const name of files)
    process.stdout.write(`\nan answer off the OpenAPI document:\n${readFileSync(join(folder, name), 'utf8')}`);
  if (files.length > 0) process.exitCode = 1;
  return files.length;
}
